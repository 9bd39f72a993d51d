#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "heliostat/node/device/gpu.h"

namespace heliostat::device {

// The contract of every Gpu. A new implementation gets these tests with one INSTANTIATE_TEST_SUITE_P.
//
// The factory makes an idle card that this process may write to and whose settings are at their defaults.
using GpuFactory = std::function<std::unique_ptr<Gpu>()>;

class GpuContract : public ::testing::TestWithParam<GpuFactory> {
 protected:
  void SetUp() override {
    gpu_ = GetParam()();
    ASSERT_NE(gpu_, nullptr);
  }
  Setting Middle() const {
    const Abilities& abilities = gpu_->abilities();
    return Setting::PowerLimit(0.5 * (abilities.lowest_limit + abilities.highest_limit));
  }
  Setting MiddleClock() const {
    const auto& clocks = gpu_->abilities().core_clocks_mhz;
    const double mhz = clocks.at(clocks.size() / 2);
    return Setting::Clock(Knob::kCoreClock, Megahertz(mhz), Megahertz(mhz));
  }

  std::unique_ptr<Gpu> gpu_;
};

TEST_P(GpuContract, TellsWhoItIs) {
  EXPECT_THAT(gpu_->identity().uuid, ::testing::StartsWith("GPU-"));
  EXPECT_FALSE(gpu_->identity().name.empty());
  EXPECT_FALSE(gpu_->identity().pci.empty());
}

TEST_P(GpuContract, RangesAreInOrder) {
  const Abilities& abilities = gpu_->abilities();
  ASSERT_TRUE(abilities.has_power_limit);
  EXPECT_GT(abilities.lowest_limit, Watts{0});
  EXPECT_LE(abilities.lowest_limit, abilities.default_limit);
  EXPECT_LE(abilities.default_limit, abilities.highest_limit);
  EXPECT_TRUE(std::is_sorted(abilities.core_clocks_mhz.begin(), abilities.core_clocks_mhz.end()));
  EXPECT_TRUE(std::is_sorted(abilities.memory_clocks_mhz.begin(), abilities.memory_clocks_mhz.end()));
}

TEST_P(GpuContract, ReadsWhatPeopleLookAtFirst) {
  const auto reading = gpu_->Read();
  ASSERT_TRUE(reading) << reading.error().Line();
  ASSERT_TRUE(reading->power && reading->core_mhz && reading->enforced_limit && reading->utilisation);
  EXPECT_GT(*reading->power, Watts{0});
  EXPECT_GE(*reading->utilisation, 0.0);
  EXPECT_LE(*reading->utilisation, 1.0);
  EXPECT_TRUE(gpu_->Inspect());
}

TEST_P(GpuContract, TheEnergyCounterNeverFalls) {
  ASSERT_TRUE(gpu_->abilities().has_energy_counter);
  const auto first = gpu_->Energy();
  const auto second = gpu_->Energy();
  ASSERT_TRUE(first && second);
  EXPECT_LE(*first, *second);
}

TEST_P(GpuContract, AWrittenLimitIsReadBackAndEnforced) {
  const auto applied = gpu_->Apply(Middle());
  ASSERT_TRUE(applied) << applied.error().Line();
  EXPECT_EQ(applied->outcome, SetOutcome::kAsAsked);
  EXPECT_EQ(applied->stands, Middle());
  EXPECT_EQ(gpu_->Stands(Knob::kPowerLimit).value(), Middle());
  EXPECT_EQ(gpu_->Read()->enforced_limit, Middle().limit());
}

TEST_P(GpuContract, TheDefaultIsTheDefaultLimitAgain) {
  ASSERT_TRUE(gpu_->Apply(Middle()));
  ASSERT_TRUE(gpu_->Apply(Setting::Default(Knob::kPowerLimit)));
  EXPECT_EQ(gpu_->Stands(Knob::kPowerLimit).value(), Setting::PowerLimit(gpu_->abilities().default_limit));
}

TEST_P(GpuContract, ALimitOutsideTheRangeIsRefusedAndNothingChanges) {
  ASSERT_TRUE(gpu_->Apply(Middle()));
  for (const Watts limit :
       {gpu_->abilities().lowest_limit - Watts{1}, gpu_->abilities().highest_limit + Watts{1}, Watts{0}, Watts{-5}}) {
    const auto applied = gpu_->Apply(Setting::PowerLimit(limit));
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().code, ErrorCode::kInvalidArgument) << applied.error().Line();
  }
  EXPECT_EQ(gpu_->Stands(Knob::kPowerLimit).value(), Middle());
}

TEST_P(GpuContract, ClocksAreLockedAndFreed) {
  const auto locked = gpu_->Apply(MiddleClock());
  ASSERT_TRUE(locked) << locked.error().Line();
  EXPECT_THAT(locked->outcome, ::testing::AnyOf(SetOutcome::kAsAsked, SetOutcome::kUnverified));
  EXPECT_LE(*gpu_->Read()->core_mhz, MiddleClock().high);
  const auto freed = gpu_->Apply(Setting::Default(Knob::kCoreClock));
  ASSERT_TRUE(freed) << freed.error().Line();
}

TEST_P(GpuContract, AClockRangeUpsideDownOrOutsideIsRefused) {
  const auto& clocks = gpu_->abilities().core_clocks_mhz;
  for (const auto& [low, high] : {std::pair{clocks.back(), clocks.front()}, std::pair{0, clocks.back()},
                                  std::pair{clocks.front(), clocks.back() + 100}}) {
    const auto applied = gpu_->Apply({Knob::kCoreClock, false, low, high});
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST_P(GpuContract, WhereClocksAreLockedIsToldOrPlainlyNot) {
  const auto stands = gpu_->Stands(Knob::kCoreClock);
  if (!stands) {
    EXPECT_EQ(stands.error().code, ErrorCode::kUnsupported);
  }
}

}  // namespace heliostat::device
