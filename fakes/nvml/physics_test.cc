#include "fakes/nvml/physics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "fakes/nvml/load.h"
#include "fakes/nvml/testing/scratch_state.h"
#include "heliostat/model/profile/library.h"

namespace heliostat::nvml_double {
namespace {

using device::Knob;
using device::Setting;
using ::testing::DoubleNear;
using ::testing::Each;

constexpr double kForever = 1e200;

GpuState Card(std::string_view gpu) { return NewGpu(*device_model::FindCardModel(gpu), 0); }

void SetLimit(GpuState& gpu, double watts) { gpu.At(Knob::kPowerLimit) = Setting::PowerLimit(Watts{watts}); }

double SpeedAt(const GpuState& gpu, double watts) {
  return device_model::PointAt(gpu.card(), device_model::LoadOf("resnet50", gpu.card()),
                               Setting::PowerLimit(Watts{watts}), Setting::Default(Knob::kCoreClock))
      .samples_per_s;
}

// Something that changes what the card draws.
void Disturb(GpuState& gpu, int what) {
  switch (what % 5) {
    case 0:
      Put(gpu, {.model = "resnet50"});
      break;
    case 1:
      Put(gpu, {.model = "bert-base", .duty = 0.4});
      break;
    case 2:
      StopLoads(gpu);
      break;
    case 3:
      SetLimit(gpu, 220);
      break;
    default:
      SetLimit(gpu, 700);
      gpu.At(Knob::kCoreClock) = {Knob::kCoreClock, false, 345, 900};
  }
}

RC_GTEST_PROP(PhysicsTest, EnergyIsTheIntegralOfPowerOverChangingLoadsAndLimits, ()) {
  GpuState gpu = Card("H200");
  double integral = 0.0;
  for (const int what : *rc::gen::container<std::vector<int>>(6, rc::gen::inRange(0, 100))) {
    Disturb(gpu, what);
    constexpr int kSlices = 2000;
    const double slice = 0.5 / kSlices;
    for (int i = 0; i < kSlices; ++i) {
      const double before = gpu.power_w;
      Settle(gpu, gpu.at_s + slice, kForever);
      integral += (before + gpu.power_w) / 2 * slice;
    }
  }
  RC_ASSERT(std::abs(gpu.energy_j - integral) < 1e-5 * integral);
}

RC_GTEST_PROP(PhysicsTest, ManyStepsComeToTheSameAsOne, ()) {
  GpuState at_once = Card("A40");
  Put(at_once, {.model = "resnet50", .samples_per_step = 8, .goal = 400});
  GpuState in_steps = at_once;
  double now = 0.0;
  for (const int ms : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 3000))) {
    now += 1e-3 * ms;
    Settle(in_steps, now, kForever);
  }
  Settle(at_once, now, kForever);
  RC_ASSERT(std::abs(at_once.energy_j - in_steps.energy_j) <= 1e-9 * at_once.energy_j);
  RC_ASSERT(std::abs(at_once.power_w - in_steps.power_w) < 1e-6);
  RC_ASSERT(std::abs(at_once.samples - in_steps.samples) < 1e-6);
  RC_ASSERT(std::abs(at_once.temperature_c - in_steps.temperature_c) < 1e-6);
}

// A model cannot be brought down as far as any limit (its floor), and those measured overshoot a little close above
// that. Further up a limit is kept, whatever the model.
TEST(PhysicsTest, PowerSettlesBelowALimitThatCanBeKept) {
  int kept = 0;
  for (const device_model::CardModel& card : device_model::CardModels()) {
    for (const std::string_view model : profile::TrainingModels()) {
      const double floor = device_model::LoadOf(model, card)->curves.limit.draw.floor_w;
      for (int watts = card.lowest_limit_w; watts <= card.highest_limit_w; watts += 10) {
        GpuState gpu = NewGpu(card, 0);
        Put(gpu, {.model = std::string(model)});
        SetLimit(gpu, watts);
        Settle(gpu, 10.0, kForever);
        if (watts < 1.1 * floor) continue;
        ASSERT_LE(gpu.power_w, watts + 1e-6) << card.gpu << " " << model << " " << watts;
        ++kept;
      }
    }
  }
  EXPECT_GT(kept, 1000);
}

TEST(PhysicsTest, PowerFollowsWithALag) {
  GpuState gpu = Card("H200");
  const double idle = gpu.power_w;
  Put(gpu, {.model = "resnet50"});
  const double busy = FlowOf(gpu, kForever).power_w;
  Settle(gpu, kPowerLagSeconds, kForever);
  EXPECT_THAT(gpu.power_w, DoubleNear(busy + (idle - busy) / std::exp(1.0), 1e-6));
}

TEST(PhysicsTest, StepsFollowTheSpeedOfTheCard) {
  GpuState gpu = Card("H200");
  Put(gpu, {.model = "resnet50", .samples_per_step = 256});
  Settle(gpu, 10.0, kForever);
  const double first = gpu.loads[0].steps;
  EXPECT_THAT(first, DoubleNear(10 * SpeedAt(gpu, 700) / 256, 1e-6));
  SetLimit(gpu, 300);
  Settle(gpu, 15.0, kForever);
  EXPECT_THAT(gpu.loads[0].steps - first, DoubleNear(5 * SpeedAt(gpu, 300) / 256, 1e-6));
  EXPECT_LT(SpeedAt(gpu, 300), SpeedAt(gpu, 700));
}

TEST(PhysicsTest, ALoadEndsAtItsGoalAndNoLater) {
  GpuState gpu = Card("H200");
  Put(gpu, {.model = "resnet50", .samples_per_step = 256, .goal = 100});
  const double ends_s = 100 * 256 / SpeedAt(gpu, 700);
  GpuState cut = gpu;
  Settle(cut, ends_s, kForever);
  StopLoads(cut);
  Settle(cut, 60.0, kForever);
  Settle(gpu, 60.0, kForever);
  EXPECT_EQ(gpu.loads[0].steps, 100.0);
  EXPECT_THAT(gpu.samples, DoubleNear(25600, 1e-6));
  EXPECT_THAT(gpu.energy_j, DoubleNear(cut.energy_j, 1e-6 * cut.energy_j));
}

TEST(PhysicsTest, AProcessThatIsNotHeardOfStopsCounting) {
  GpuState gpu = Card("A40");
  Put(gpu, {.model = "resnet50"}, ::getpid());
  Settle(gpu, 60.0, 1.0);
  EXPECT_THAT(gpu.loads[0].steps, DoubleNear(SpeedAt(gpu, 300), 1e-6));
  EXPECT_EQ(FlowOf(gpu, 1.0).duty, 0.0);
}

TEST(PhysicsTest, LoadsShareACardAndItsLimit) {
  GpuState alone = Card("H200");
  Put(alone, {.model = "resnet50"});
  GpuState shared = alone;
  Put(shared, {.model = "resnet50"}, ::getpid());
  for (GpuState* const gpu : {&alone, &shared}) {
    SetLimit(*gpu, 250);
    Settle(*gpu, 20.0, kForever);
  }
  EXPECT_THAT(shared.samples, DoubleNear(alone.samples, 1e-6));
  EXPECT_THAT(shared.loads[0].steps, DoubleNear(shared.loads[1].steps, 1e-6));
  EXPECT_LE(shared.power_w, 250 + 1e-6);
}

TEST(PhysicsTest, AnOutOfBandLimitBindsThoughTheLimitIsHigher) {
  GpuState gpu = Card("H200");
  Put(gpu, {.model = "resnet50"});
  gpu.faults.out_of_band_mw = 260'000;
  Settle(gpu, 10.0, kForever);
  EXPECT_LE(gpu.power_w, 260 + 1e-6);
  EXPECT_EQ(gpu.At(Knob::kPowerLimit).high, 700'000);
}

TEST(PhysicsTest, AClockThatBeganAnewDoesNotStopTime) {
  GpuState gpu = Card("A40");
  Settle(gpu, 1000.0, kForever);
  const double before = gpu.energy_j;
  Settle(gpu, 5.0, kForever);
  Settle(gpu, 6.0, kForever);
  EXPECT_THAT(gpu.energy_j - before, DoubleNear(30.0, 1e-6));
}

}  // namespace
}  // namespace heliostat::nvml_double
