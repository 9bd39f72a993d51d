#include "heliostat/node/device_model/simulated_gpu.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heliostat/node/device/testing/gpu_contract.h"

namespace heliostat::device_model {
namespace {

using device::GpuContract;
using device::Knob;
using device::SetOutcome;
using device::Setting;

std::unique_ptr<device::Gpu> Make(std::string_view gpu) {
  return std::make_unique<SimulatedGpu>(*FindCardModel(gpu), 0);
}

INSTANTIATE_TEST_SUITE_P(SimulatedH200, GpuContract, ::testing::Values([] { return Make("H200"); }));
INSTANTIATE_TEST_SUITE_P(SimulatedA40, GpuContract, ::testing::Values([] { return Make("A40"); }));

RC_GTEST_PROP(SimulatedGpuTest, ALowerLimitNeitherDrawsMoreNorRunsFaster, ()) {
  const CardModel& card = **rc::gen::elementOf(
      std::vector<const CardModel*>{FindCardModel("H200"), FindCardModel("A40"), FindCardModel("V100")});
  const auto models = profile::TrainingModels();
  const auto load = LoadOf(*rc::gen::elementOf(models), card);
  RC_ASSERT(load.has_value());
  const auto low = *rc::gen::inRange(card.lowest_limit_w, card.highest_limit_w);
  const auto high = *rc::gen::inRange(low, card.highest_limit_w + 1);
  const Setting free = Setting::Default(Knob::kCoreClock);
  const OperatingPoint less = PointAt(card, load, Setting::PowerLimit(Watts{static_cast<double>(low)}), free);
  const OperatingPoint more = PointAt(card, load, Setting::PowerLimit(Watts{static_cast<double>(high)}), free);
  RC_ASSERT(less.power_w <= more.power_w + 1e-9);
  RC_ASSERT(less.samples_per_s <= more.samples_per_s + 1e-9);
}

RC_GTEST_PROP(SimulatedGpuTest, EnergyIsPowerTimesTimeHoweverItIsCut, ()) {
  SimulatedGpu whole(*FindCardModel("H200"), 0);
  SimulatedGpu parts(*FindCardModel("H200"), 0);
  const auto load = LoadOf("resnet50", *FindCardModel("H200"));
  whole.Run(load);
  parts.Run(load);
  const auto cuts = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 100));
  double sum = 0.0;
  for (const int seconds : cuts) {
    parts.Advance(Seconds(seconds));
    sum += seconds;
  }
  whole.Advance(Seconds(sum));
  RC_ASSERT(std::abs(whole.Energy()->value - parts.Energy()->value) <= 1e-6 * (1.0 + whole.Energy()->value));
  RC_ASSERT(std::abs(whole.samples() - parts.samples()) <= 1e-6 * (1.0 + whole.samples()));
}

TEST(SimulatedGpuTest, AgreesWithTheSimulatorsProfiles) {
  // The same figures that scenarios are made of, without their safety margin.
  const CardModel& card = *FindCardModel("A40");
  const std::array one{1};
  for (const auto& point :
       profile::TrainingPoints("resnet50", "A40", Knob::kPowerLimit, 5, one, profile::Margin::kNone)) {
    const OperatingPoint at =
        PointAt(card, LoadOf("resnet50", card), Setting::PowerLimit(Watts{point.knob.power_limit_w.value()}),
                Setting::Default(Knob::kCoreClock));
    EXPECT_NEAR(at.power_w, point.power.value, 1e-3 * point.power.value);
    EXPECT_NEAR(at.samples_per_s, point.samples_per_s, 1e-3 * point.samples_per_s);
  }
}

TEST(SimulatedGpuTest, PacingDrawsAlmostLinearlyMoreAsMeasuredOnAnH200) {
  // P = 121 + 488 * duty W at ResNet-50, batch 256.
  const CardModel& card = *FindCardModel("H200");
  auto load = LoadOf("resnet50", card);
  ASSERT_TRUE(load);
  const Setting limit = Setting::Default(Knob::kPowerLimit);
  const Setting free = Setting::Default(Knob::kCoreClock);
  const double busy = PointAt(card, load, limit, free).power_w;
  load->duty = 0.2;
  EXPECT_NEAR(PointAt(card, load, limit, free).power_w, busy * 219.1 / 608.9, 0.08 * busy);
}

TEST(SimulatedGpuTest, ADriverLoadedAnewForgets) {
  SimulatedGpu gpu(*FindCardModel("H200"), 0);
  ASSERT_TRUE(gpu.Apply(Setting::PowerLimit(Watts{300})));
  gpu.Advance(Seconds(10));
  gpu.Reload();
  EXPECT_EQ(gpu.Stands(Knob::kPowerLimit)->limit(), Watts{700});
  EXPECT_EQ(gpu.Energy().value(), Joules{0});
}

TEST(SimulatedGpuTest, ARoundedLimitIsToldAsClampedAndOneThatStaysAsIgnored) {
  SimulatedGpu gpu(*FindCardModel("H200"), 0);
  gpu.RoundLimits(50'000);
  const auto clamped = gpu.Apply(Setting::PowerLimit(Watts{333}));
  ASSERT_TRUE(clamped);
  EXPECT_EQ(clamped->outcome, SetOutcome::kClamped);
  EXPECT_EQ(clamped->stands.limit(), Watts{300});
  const auto ignored = gpu.Apply(Setting::PowerLimit(Watts{349}));
  ASSERT_TRUE(ignored);
  EXPECT_EQ(ignored->outcome, SetOutcome::kIgnored);
}

}  // namespace
}  // namespace heliostat::device_model
