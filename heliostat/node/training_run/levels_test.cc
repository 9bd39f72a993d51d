#include "heliostat/node/training_run/levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/node/device_model/simulated_gpu.h"

namespace heliostat::training_run {
namespace {

TEST(LevelsTest, LimitsGoFromTheHighestLowestToTheLowestDefault) {
  device_model::SimulatedGpu big(*device_model::FindCardModel("H200"), 0);
  device_model::SimulatedGpu small(*device_model::FindCardModel("A40"), 1);
  const auto levels = LevelsOf(Knob::kPowerLimit, {&big, &small});
  ASSERT_TRUE(levels);
  EXPECT_EQ(levels->front(), 200);
  EXPECT_EQ(levels->back(), 300);
  EXPECT_TRUE(std::is_sorted(levels->begin(), levels->end()));
  EXPECT_EQ(MostPowerOf({&big, &small}), Watts{1000});
}

TEST(LevelsTest, AnOperatorsLowerLimitIsTheHighestLevel) {
  device_model::SimulatedGpu gpu(*device_model::FindCardModel("H200"), 0);
  ASSERT_TRUE(gpu.Apply(device::Setting::PowerLimit(Watts{500})));
  const auto levels = LevelsOf(Knob::kPowerLimit, {&gpu});
  ASSERT_TRUE(levels);
  EXPECT_EQ(levels->front(), 200);
  EXPECT_EQ(levels->back(), 500);
}

TEST(LevelsTest, ClocksAreOnesThatTheCardHasAndTheHighestIsLast) {
  device_model::SimulatedGpu gpu(*device_model::FindCardModel("H200"), 0);
  const auto levels = LevelsOf(Knob::kCoreClock, {&gpu});
  ASSERT_TRUE(levels);
  EXPECT_EQ(levels->back(), 1980);
  for (const double level : *levels) {
    EXPECT_THAT(gpu.abilities().core_clocks_mhz, ::testing::Contains(static_cast<int>(level)));
  }
}

TEST(LevelsTest, PaceEndsAtFullSpeed) { EXPECT_EQ(LevelsOf(Knob::kPace, {})->back(), 1.0); }

}  // namespace
}  // namespace heliostat::training_run
