#include "heliostat/node/device/describe.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heliostat/node/device/open_driver.h"

namespace heliostat::device {
namespace {

RC_GTEST_PROP(DescribeTest, ASettingWrittenAndReadIsTheSame, ()) {
  const Knob knob = *rc::gen::elementOf(std::vector<Knob>(kKnobs.begin(), kKnobs.end()));
  Setting setting = Setting::Default(knob);
  if (*rc::gen::arbitrary<bool>()) {
    const auto high = *rc::gen::inRange<std::int64_t>(1, 1'000'000);
    const auto low = knob == Knob::kPowerLimit ? high : *rc::gen::inRange<std::int64_t>(1, high + 1);
    setting = {knob, false, low, high};
  }
  const auto parsed = io::Json::Parse(Describe(setting).Line(), "x");
  RC_ASSERT(parsed.has_value());
  const auto again = ReadSetting(*parsed);
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == setting);
}

TEST(DescribeTest, WhatACardDoesNotTellIsNull) {
  const io::Json json = Describe(Reading{});
  EXPECT_EQ(json.Find("power_w"), nullptr);
  EXPECT_NE(json.Line().find("\"power_w\":null"), std::string::npos);
}

TEST(DescribeTest, BrokenSettingsAreRefused) {
  for (const char* text : {"{}", R"({"knob":"volume","default":true})", R"({"knob":"power-limit","default":false})",
                           R"({"knob":"power-limit","default":false,"power_limit_w":1e300})",
                           R"({"knob":"core-clock","default":false,"low_mhz":"x","high_mhz":1})"}) {
    EXPECT_FALSE(ReadSetting(*io::Json::Parse(text, "x"))) << text;
  }
}

RC_GTEST_PROP(DescribeTest, WhatCameOfAWriteIsReadAsItIsWritten, ()) {
  const auto any = [] {
    const Knob knob = *rc::gen::elementOf(std::vector<Knob>(kKnobs.begin(), kKnobs.end()));
    const auto low = *rc::gen::inRange<std::int64_t>(1, 1'000'000);
    const bool is_limit = knob == Knob::kPowerLimit;
    return *rc::gen::arbitrary<bool>() ? Setting::Default(knob) : Setting{knob, false, low, is_limit ? low : low + 7};
  };
  const Applied applied{
      any(), any(),
      *rc::gen::element(SetOutcome::kAsAsked, SetOutcome::kClamped, SetOutcome::kIgnored, SetOutcome::kUnverified)};
  const auto again = ReadApplied(*io::Json::Parse(Describe(applied).Line(), "x"));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == applied);
}

TEST(DescribeTest, UnitsStandInTheNames) {
  EXPECT_EQ(Describe(Setting::PowerLimit(Watts{300.5})).Line(),
            R"({"knob":"power-limit","default":false,"power_limit_w":300.5})");
  EXPECT_EQ(Describe(Setting::Clock(Knob::kCoreClock, Megahertz(600), Megahertz(1200))).Line(),
            R"({"knob":"core-clock","default":false,"low_mhz":600,"high_mhz":1200})");
  EXPECT_EQ(Describe(Setting::Default(Knob::kMemoryClock)).Line(), R"({"knob":"memory-clock","default":true})");
  EXPECT_EQ(Describe(Identity{"GPU-1", "NVIDIA \"X\"", "0:6.0", 2}).Line(),
            R"({"index":2,"uuid":"GPU-1","name":"NVIDIA \"X\"","pci":"0:6.0"})");
}

TEST(DescribeTest, AReadingHasEveryFigureInItsUnit) {
  Reading reading;
  reading.power = Watts{312.25};
  reading.enforced_limit = Watts{400};
  reading.core_mhz = 1410;
  reading.memory_mhz = 2619;
  reading.utilisation = 0.75;
  reading.temperature_c = 61;
  reading.throttle = kThrottlePowerCap;
  EXPECT_EQ(Describe(reading).Line(),
            R"({"power_w":312.25,"enforced_limit_w":400,"core_mhz":1410,"memory_mhz":2619,"utilisation":0.75,)"
            R"("temperature_c":61,"throttle":"power cap"})");
}

TEST(DescribeTest, AbilitiesThatACardLacksAreNullOrEmpty) {
  const std::string nothing = Describe(Abilities{}).Line();
  EXPECT_NE(nothing.find(R"("power_limit_w":null)"), std::string::npos) << nothing;
  EXPECT_NE(nothing.find(R"("core_clocks_mhz":null)"), std::string::npos) << nothing;
  EXPECT_NE(nothing.find(R"("memory_clocks_mhz":[])"), std::string::npos) << nothing;
  Abilities abilities;
  abilities.has_power_limit = true;
  abilities.lowest_limit = Watts{100};
  abilities.default_limit = Watts{300};
  abilities.highest_limit = Watts{350};
  abilities.core_clocks_mhz = {210, 225, 1980};
  abilities.memory_clocks_mhz = {1593, 2619};
  abilities.has_core_lock = true;
  EXPECT_EQ(Describe(abilities).Line(),
            R"({"power_limit_w":{"lowest":100,"default":300,"highest":350},)"
            R"("core_clocks_mhz":{"lowest":210,"highest":1980,"count":3},"memory_clocks_mhz":[1593,2619],)"
            R"("can_lock_core":true,"can_lock_memory":false,"has_energy_counter":false})");
}

TEST(DescribeTest, DetailsListEveryProcess) {
  EXPECT_EQ(Describe(Details{}).Line(),
            R"({"persistence":null,"mig":null,"memory_used_bytes":null,"memory_total_bytes":null,"processes":[]})");
  Details details;
  details.is_persistent = true;
  details.is_mig = false;
  details.memory_used_bytes = 5'000'000'000;
  details.memory_total_bytes = 150'000'000'000;
  details.processes = {{17, 4'000'000'000}, {18, 0}};
  EXPECT_EQ(Describe(details).Line(),
            R"({"persistence":true,"mig":false,"memory_used_bytes":5000000000,"memory_total_bytes":150000000000,)"
            R"("processes":[{"pid":17,"memory_bytes":4000000000},{"pid":18,"memory_bytes":0}]})");
}

TEST(DescribeTest, BrokenOutcomesAreRefusedByName) {
  const std::string setting = R"({"knob":"core-clock","default":true})";
  const auto refused = ReadApplied(
      *io::Json::Parse(R"({"asked":)" + setting + R"(,"stands":)" + setting + R"(,"outcome":"perhaps"})", "answer"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(refused.error().Line().find("'perhaps' is not an outcome"), std::string::npos);
  for (const std::string& text :
       {R"({"asked":)" + setting + "}", std::string(R"({"asked":3,"stands":3,"outcome":"clamped"})"),
        R"({"asked":)" + setting + R"(,"stands":)" + setting + "}"}) {
    EXPECT_FALSE(ReadApplied(*io::Json::Parse(text, "x"))) << text;
  }
}

// Every member of an answer, taken away or of another kind: the error names the document.
TEST(DescribeTest, EveryMemberOfASettingIsNeededAndOfItsKind) {
  struct Case {
    const char* text;
    const char* names;
  };
  for (const Case& one :
       {Case{R"({"default":true})", "knob"}, Case{R"({"knob":3,"default":true})", "knob"},
        Case{R"({"knob":"core-clock"})", "default"}, Case{R"({"knob":"core-clock","default":"no"})", "default"},
        Case{R"({"knob":"core-clock","default":false,"high_mhz":900})", "low_mhz"},
        Case{R"({"knob":"core-clock","default":false,"low_mhz":900})", "high_mhz"},
        Case{R"({"knob":"core-clock","default":false,"low_mhz":1.5,"high_mhz":2})", "low_mhz"},
        Case{R"({"knob":"power-limit","default":false,"power_limit_w":"300"})", "power_limit_w"},
        Case{R"({"knob":"power-limit","default":false,"power_limit_w":null})", "power_limit_w"}}) {
    const auto read = ReadSetting(*io::Json::Parse(one.text, "answer"));
    ASSERT_FALSE(read) << one.text;
    EXPECT_NE(read.error().Line().find("answer"), std::string::npos) << read.error().Line();
    EXPECT_NE(read.error().Line().find(one.names), std::string::npos) << read.error().Line();
  }
}

TEST(DescribeTest, ADefaultNeedsNoBoundsAndHasNone) {
  for (const Knob knob : kKnobs) {
    const auto read =
        ReadSetting(*io::Json::Parse(std::string(R"({"knob":")") + std::string(NameOf(knob)) +
                                         R"(","default":true,"power_limit_w":5,"low_mhz":1,"high_mhz":2})",
                                     "x"));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, Setting::Default(knob));
  }
}

TEST(DescribeTest, LimitsThatNoCardHasAreRefused) {
  const auto read = [](const std::string& watts) {
    return ReadSetting(
        *io::Json::Parse(R"({"knob":"power-limit","default":false,"power_limit_w":)" + watts + "}", "x"));
  };
  EXPECT_TRUE(read("1000000"));
  EXPECT_FALSE(read("1000001"));
  EXPECT_FALSE(read("-1000001"));
  EXPECT_EQ(read("0.0004")->high, 0);
  EXPECT_EQ(read("299.9996")->high, 300'000);
}

TEST(SettingTest, ReadsWell) {
  EXPECT_EQ(Setting::PowerLimit(Watts{300}).Text(), "300 W");
  EXPECT_EQ(Setting::PowerLimit(Watts{300.5}).Text(), "300.5 W");
  EXPECT_EQ(Setting::Clock(Knob::kCoreClock, Megahertz(600), Megahertz(1200)).Text(), "600 to 1200 MHz");
  EXPECT_EQ(Setting::Default(Knob::kMemoryClock).Text(), "default");
  EXPECT_EQ(ThrottleText(kThrottleIdle | kThrottleThermal), "idle, thermal");
}

TEST(OpenDriverTest, AMachineWithoutADriverHasNoGpusAndSaysWhy) {
  const auto driver = OpenDriver([](const std::string&) { return std::optional<std::string>("/nowhere/libnvml.so"); });
  EXPECT_EQ(driver->name(), "none");
  ASSERT_EQ(driver->troubles().size(), 1U);
  EXPECT_NE(driver->troubles().front().find("/nowhere/libnvml.so"), std::string::npos);
  const auto gpus = driver->Gpus();
  ASSERT_TRUE(gpus);
  EXPECT_TRUE(gpus->empty());
}

}  // namespace
}  // namespace heliostat::device
