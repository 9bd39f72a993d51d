#include "heliostat/base/io/time_zone.h"

#include <gtest/gtest.h>

namespace heliostat::io {
namespace {

std::chrono::local_seconds Local(const char* text) { return ParseIsoTime(text)->local; }

TEST(TimeZoneTest, ClocksThatSkipAnHourSkipIt) {
  const TimeZone berlin = *TimeZone::Find("Europe/Berlin");
  EXPECT_FALSE(berlin.ToUtc(Local("2023-03-26 02:30")).first);
  EXPECT_EQ(FormatInstant(*berlin.ToUtc(Local("2023-03-26 03:00")).first), "2023-03-26T01:00:00Z");
}

TEST(TimeZoneTest, ClocksThatRepeatAnHourMeanTwoInstants) {
  const TimeZone berlin = *TimeZone::Find("Europe/Berlin");
  const auto twice = berlin.ToUtc(Local("2023-10-29 02:00"));
  EXPECT_EQ(FormatInstant(*twice.first), "2023-10-29T00:00:00Z");
  EXPECT_EQ(FormatInstant(*twice.second), "2023-10-29T01:00:00Z");
}

TEST(TimeZoneTest, LocalDaysOfClockChangesHave23And25Hours) {
  const TimeZone berlin = *TimeZone::Find("Europe/Berlin");
  const auto length = [&](const char* day, const char* next) {
    return *berlin.ToUtc(Local(next)).first - *berlin.ToUtc(Local(day)).first;
  };
  EXPECT_EQ(length("2023-03-26", "2023-03-27"), std::chrono::hours{23});
  EXPECT_EQ(length("2023-10-29", "2023-10-30"), std::chrono::hours{25});
}

TEST(TimeZoneTest, FixedOffsetsNeedNoDatabase) {
  const TimeZone sydney = *TimeZone::Find("+10:00");
  EXPECT_EQ(FormatInstant(*sydney.ToUtc(Local("2023-01-01 00:00")).first), "2022-12-31T14:00:00Z");
  EXPECT_EQ(sydney.ToLocal(*sydney.ToUtc(Local("2023-07-01 00:00")).first), Local("2023-07-01 00:00"));
  EXPECT_EQ(TimeZone::Fixed(std::chrono::minutes{-330}).name(), "UTC-05:30");
}

TEST(TimeZoneTest, RefusesAnUnknownZone) {
  EXPECT_FALSE(TimeZone::Find("Mars/Olympus"));
  EXPECT_FALSE(TimeZone::Find("+1"));
  EXPECT_FALSE(TimeZone::Find(""));
}

}  // namespace
}  // namespace heliostat::io
