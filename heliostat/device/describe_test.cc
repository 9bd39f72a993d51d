#include "heliostat/device/describe.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heliostat/device/open_driver.h"

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
