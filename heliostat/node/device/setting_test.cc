#include "heliostat/node/device/setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "heliostat/node/device/gpu.h"

namespace heliostat::device {
namespace {

using ::testing::HasSubstr;

TEST(KnobTest, EveryNameIsReadAsItIsWritten) {
  std::set<std::string_view> names;
  for (const Knob knob : kKnobs) {
    EXPECT_EQ(KnobOf(NameOf(knob)), knob);
    names.insert(NameOf(knob));
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"power-limit", "core-clock", "memory-clock"}));
  for (const char* other : {"", "power", "Power-Limit", "power-limit "}) EXPECT_EQ(KnobOf(other), std::nullopt);
}

TEST(OutcomeTest, NamesAreDifferent) {
  EXPECT_EQ(NameOf(SetOutcome::kAsAsked), "as-asked");
  EXPECT_EQ(NameOf(SetOutcome::kClamped), "clamped");
  EXPECT_EQ(NameOf(SetOutcome::kIgnored), "ignored");
  EXPECT_EQ(NameOf(SetOutcome::kUnverified), "unverified");
}

RC_GTEST_PROP(SettingLaws, ALimitIsKeptToTheMilliwatt, ()) {
  const auto milliwatts = *rc::gen::inRange<std::int64_t>(0, 2'000'000);
  const Setting setting = Setting::PowerLimit(Watts{static_cast<double>(milliwatts) / 1e3});
  RC_ASSERT(setting.low == milliwatts);
  RC_ASSERT(setting.high == milliwatts);
  RC_ASSERT(!setting.is_default);
  RC_ASSERT(Setting::PowerLimit(setting.limit()) == setting);
  // Less than half a milliwatt is no other limit.
  RC_ASSERT(Setting::PowerLimit(setting.limit() + Watts{0.0004}) == setting);
  RC_ASSERT(Setting::PowerLimit(setting.limit() + Watts{0.0006}) != setting);
}

RC_GTEST_PROP(SettingLaws, AClockIsKeptToTheMegahertz, ()) {
  const Knob knob = *rc::gen::element(Knob::kCoreClock, Knob::kMemoryClock);
  const auto low = *rc::gen::inRange<std::int64_t>(1, 3000);
  const auto high = *rc::gen::inRange<std::int64_t>(1, 3000);
  const Setting setting =
      Setting::Clock(knob, Megahertz(static_cast<double>(low) + 0.4), Megahertz(static_cast<double>(high) - 0.4));
  RC_ASSERT(setting == (Setting{knob, false, low, high}));
  RC_ASSERT(setting.top() == Megahertz(static_cast<double>(high)));
}

TEST(SettingTest, SettingsOfTwoKnobsAreNeverTheSame) {
  EXPECT_NE(Setting::Default(Knob::kCoreClock), Setting::Default(Knob::kMemoryClock));
  EXPECT_NE(Setting::Default(Knob::kPowerLimit), Setting::PowerLimit(Watts{0}));
  EXPECT_EQ(Setting::Clock(Knob::kCoreClock, Megahertz(900), Megahertz(900)).Text(), "900 MHz");
}

TEST(ThrottleTest, EveryReasonHasAWordAndUnknownBitsHaveNone) {
  EXPECT_EQ(ThrottleText(0), "");
  EXPECT_EQ(ThrottleText(~0U), "idle, power cap, thermal, hardware slow-down, clock setting, other");
  EXPECT_EQ(ThrottleText(1U << 20U), "");
}

const Identity kCard{"GPU-1", "NVIDIA H200", "00000000:00:06.0", 3};

Abilities SomeAbilities() {
  Abilities abilities;
  abilities.has_power_limit = true;
  abilities.lowest_limit = Watts{200};
  abilities.default_limit = Watts{700};
  abilities.highest_limit = Watts{700};
  abilities.has_core_lock = true;
  abilities.has_memory_lock = true;
  abilities.core_clocks_mhz = {345, 360, 1980};
  return abilities;
}

std::string ErrorOf(const Setting& wanted, const Abilities& abilities = SomeAbilities()) {
  const auto status = CheckRange(kCard, abilities, wanted);
  return status ? "" : status.error().Line();
}

RC_GTEST_PROP(CheckRangeLaws, ALimitIsTakenExactlyInsideTheRange, ()) {
  const auto milliwatts = *rc::gen::inRange<std::int64_t>(150'000, 750'000);
  const Setting wanted{Knob::kPowerLimit, false, milliwatts, milliwatts};
  RC_ASSERT(ErrorOf(wanted).empty() == (milliwatts >= 200'000 && milliwatts <= 700'000));
}

RC_GTEST_PROP(CheckRangeLaws, AClockRangeIsTakenExactlyInsideTheRangeAndInOrder, ()) {
  const auto low = *rc::gen::inRange<std::int64_t>(-10, 2500);
  const auto high = *rc::gen::inRange<std::int64_t>(-10, 2500);
  const Setting wanted{Knob::kCoreClock, false, low, high};
  RC_ASSERT(ErrorOf(wanted).empty() == (345 <= low && low <= high && high <= 1980));
  // A driver that does not list its clocks leaves the order to check.
  const Setting memory{Knob::kMemoryClock, false, low, high};
  RC_ASSERT(ErrorOf(memory).empty() == (0 < low && low <= high));
}

TEST(CheckRangeTest, BothEndsOfTheRangeAreInside) {
  EXPECT_EQ(ErrorOf(Setting::PowerLimit(Watts{200})), "");
  EXPECT_EQ(ErrorOf(Setting::PowerLimit(Watts{700})), "");
  EXPECT_EQ(ErrorOf(Setting::PowerLimit(Watts{199.999})),
            "GPU 3 (NVIDIA H200): power limit 199.999 W is out of range; 200 W to 700 W");
  EXPECT_EQ(ErrorOf(Setting::Clock(Knob::kCoreClock, Megahertz(345), Megahertz(1980))), "");
  EXPECT_EQ(ErrorOf(Setting::Clock(Knob::kCoreClock, Megahertz(345), Megahertz(1981))),
            "GPU 3 (NVIDIA H200): core-clock 345 to 1981 MHz is out of range; 345 to 1980 MHz, the lower first");
  EXPECT_THAT(ErrorOf(Setting::Clock(Knob::kMemoryClock, Megahertz(0), Megahertz(5))),
              HasSubstr("above 0 MHz, the lower first"));
  EXPECT_THAT(ErrorOf({Knob::kPowerLimit, false, 300'000, 400'000}), HasSubstr("power limit 400 W"));
}

TEST(CheckRangeTest, AKnobThatTheCardLacksIsUnsupportedEvenAtItsDefault) {
  for (const Knob knob : kKnobs) {
    EXPECT_EQ(ErrorOf(Setting::Default(knob)), "");
    const auto refused = CheckRange(kCard, Abilities{}, Setting::Default(knob));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
    EXPECT_THAT(refused.error().Line(), HasSubstr(std::string(NameOf(knob))));
  }
  Abilities locks_core_alone = SomeAbilities();
  locks_core_alone.has_memory_lock = false;
  EXPECT_EQ(ErrorOf(Setting::Default(Knob::kCoreClock), locks_core_alone), "");
  EXPECT_NE(ErrorOf(Setting::Default(Knob::kMemoryClock), locks_core_alone), "");
}

}  // namespace
}  // namespace heliostat::device
