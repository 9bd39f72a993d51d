#include "heliostat/node/training_run/run_meter.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "heliostat/node/device_model/simulated_gpu.h"

namespace heliostat::training_run {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

// A program on a simulated GPU that prints every step, sampled ten times per second.
class RunMeterTest : public ::testing::Test {
 protected:
  RunMeterTest() {
    Work(1.0);
    meter_.Begin(now_);
    meter_.BeginStretch(700.0, now_);
  }

  void Work(double duty) {
    auto load = device_model::LoadOf("resnet50", *device_model::FindCardModel("H200"));
    load->duty = duty;
    gpu_.Run(load);
  }
  void Pass(double seconds, double step_s) {
    for (const double until = time_s_ + seconds; time_s_ < until - 1e-9;) {
      time_s_ += 0.1;
      since_step_s_ += 0.1;
      for (; step_s > 0.0 && since_step_s_ >= step_s - 1e-9; since_step_s_ -= step_s) ++steps_;
      if (step_s <= 0.0) since_step_s_ = 0.0;
      if (steps_ > 0) meter_.Observe(fmt::format("step {}/100000\n", steps_));
      gpu_.Advance(Seconds(0.1));
      clock_.Advance(milliseconds(100));
      meter_.Sample(now_ += milliseconds(100));
    }
  }
  void Wait(double seconds) { Pass(seconds, 0.0); }
  Watts Draw() { return *gpu_.Read()->power; }

  device_model::SimulatedGpu gpu_{*device_model::FindCardModel("H200"), 0};
  std::vector<std::string> said_;
  RunMeter::Time now_ = RunMeter::Time(std::chrono::seconds(500));
  double time_s_ = 0.0;
  double since_step_s_ = 0.0;
  int steps_ = 0;
  ManualClock clock_{Instant{}};
  RunMeter meter_{
      {&gpu_}, *StepTracker::Make("", ProcessEnvironment(), clock_), Seconds(2.0), clock_, [this](std::string text) {
        said_.push_back(std::move(text));
      }};
};

TEST_F(RunMeterTest, AStretchTellsSpeedAndDraw) {
  Pass(30.0, 0.25);
  const auto stretch = meter_.TakeStretch();
  ASSERT_TRUE(stretch);
  EXPECT_EQ(stretch->level, 700.0);
  EXPECT_TRUE(stretch->is_clean);
  EXPECT_NEAR(stretch->steps / stretch->duration.count(), 4.0, 0.02);
  EXPECT_NEAR(stretch->energy / stretch->duration / Draw(), 1.0, 1e-6);
  EXPECT_FALSE(meter_.TakeStretch()) << "it was taken";
}

TEST_F(RunMeterTest, TooLittleGoesOn) {
  Pass(35.0, 10.0);
  EXPECT_FALSE(meter_.TakeStretch());
  Pass(10.0, 10.0);
  const auto stretch = meter_.TakeStretch();
  ASSERT_TRUE(stretch);
  EXPECT_NEAR(stretch->duration.count(), 20.0, 1e-6);
  EXPECT_NEAR(stretch->steps, 2.0, 1e-9);
}

TEST_F(RunMeterTest, WhatCameBeforeTheLevelIsNotInItsStretch) {
  Pass(20.0, 0.2);
  meter_.BeginStretch(300.0, now_ + std::chrono::seconds(3));
  Pass(3.0, 0.2);
  Pass(20.0, 0.5);
  const auto stretch = meter_.TakeStretch();
  ASSERT_TRUE(stretch);
  EXPECT_EQ(stretch->level, 300.0);
  EXPECT_NEAR(stretch->steps / stretch->duration.count(), 2.0, 0.02);
}

TEST_F(RunMeterTest, StartUpAndLullsAreAsideWithTheirEnergy) {
  Wait(10.0);
  Pass(60.0, 0.5);
  EXPECT_NEAR(meter_.now().aside.count(), 10.0, 0.7);
  EXPECT_NEAR(meter_.aside_share(), 0.0, 1e-9);
  Wait(20.0);
  Pass(20.0, 0.5);
  EXPECT_NEAR(meter_.now().aside.count(), 30.0, 1.5);
  EXPECT_NEAR(meter_.now().aside_energy / meter_.now().aside / Draw(), 1.0, 0.03);
  EXPECT_NEAR(meter_.aside_share(), 20.0 / 100.0, 0.02);
  const auto stretch = meter_.TakeStretch();
  ASSERT_TRUE(stretch);
  EXPECT_NEAR(stretch->steps / stretch->duration.count(), 2.0, 0.02) << "the lull is no part of its speed";
}

TEST_F(RunMeterTest, WhatIsSpoiledIsMarkedAndTheNextIsNot) {
  Pass(10.0, 0.1);
  meter_.Spoil();
  Pass(10.0, 0.1);
  EXPECT_FALSE(meter_.TakeStretch()->is_clean);
  Pass(10.0, 0.1);
  EXPECT_TRUE(meter_.TakeStretch()->is_clean);
  const level_control::SteadySpell nothing = meter_.TakeSpoiled();
  EXPECT_FALSE(nothing.is_clean);
}

TEST_F(RunMeterTest, AGpuThatWaitsForItsProgramIsToldOnce) {
  Work(0.3);
  for (int i = 0; i < 3; ++i) {
    Pass(20.0, 0.1);
    (void)meter_.TakeStretch();
  }
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_THAT(said_.front(), HasSubstr("waits for its input"));
}

TEST_F(RunMeterTest, ACardThatDoesNotAnswerIsToldOnceAndTimeGoesOn) {
  Pass(5.0, 0.1);
  gpu_.FailReads(Error{ErrorCode::kUnavailable, "GPU 0", "is lost", ""});
  Pass(5.0, 0.1);
  EXPECT_EQ(said_.size(), 1U);
  EXPECT_NEAR(meter_.now().steps, 100.0, 1.0);
  gpu_.FailReads(std::nullopt);
  Pass(5.0, 0.1);
  meter_.Sample(now_ += milliseconds(100), 1.0, true);
  EXPECT_NEAR(meter_.now().energy[0].value, 15.0 * Draw().value, 0.02 * 15.0 * Draw().value);
}

using Uses = std::vector<device::ProcessUse>;

GpuShare ShareOf(const Uses& uses, const std::vector<pid_t>& own, bool is_visible = true) {
  return GpuShareOf(uses, own, [=](pid_t) { return is_visible; });
}

TEST(GpuShareTest, FollowsTheTimeInWhichKernelsRun) {
  EXPECT_EQ(ShareOf({}, {1}).own, 1.0);
  EXPECT_FALSE(ShareOf({{1, 0.2}, {2, 0.1}}, {1, 2, 3}).is_shared) << "several processes of one program";
  EXPECT_NEAR(ShareOf({{1, 0.2}, {2, 0.1}, {7, 0.6}}, {1, 2}).own, 1.0 / 3.0, 1e-12);
  EXPECT_TRUE(ShareOf({{1, 0.2}, {7, 0.6}}, {1}).is_shared);
  EXPECT_EQ(ShareOf({{7, 0.6}}, {1}).own, 0.0) << "the program is not on the card";
}

TEST(GpuShareTest, IsEqualWhereUseIsNotReported) {
  EXPECT_EQ(ShareOf({{1, std::nullopt}, {7, std::nullopt}, {8, 0.5}}, {1}).own, 1.0 / 3.0);
  EXPECT_TRUE(ShareOf({{1, std::nullopt}, {7, std::nullopt}}, {1}).is_equal);
  EXPECT_EQ(ShareOf({{1, 0.0}, {7, 0.0}}, {1}).own, 0.5) << "an idle card";
  EXPECT_EQ(ShareOf({{70, 0.9}, {71, 0.1}}, {1}, false).own, 0.5) << "numbers of another container";
  EXPECT_FALSE(ShareOf({{70, 0.9}}, {1}, false).is_shared);
}

RC_GTEST_PROP(GpuShareLaw, ThePartsOfAllProgramsAreTheWholeCard, ()) {
  const int programs = *rc::gen::inRange(1, 6);
  Uses uses;
  for (pid_t pid = 1; pid <= programs; ++pid) {
    const bool is_known = *rc::gen::arbitrary<bool>();
    const double utilisation = 0.01 * *rc::gen::inRange(0, 101);
    uses.push_back({pid, is_known ? std::optional(utilisation) : std::nullopt});
  }
  double sum = 0.0;
  for (pid_t pid = 1; pid <= programs; ++pid) sum += ShareOf(uses, {pid}).own;
  RC_ASSERT(std::abs(sum - 1.0) < 1e-9);
}

}  // namespace
}  // namespace heliostat::training_run
