#include "heliostat/forecasting/auto_parts/zone_calendar.h"

#include <gtest/gtest.h>

namespace heliostat::auto_parts {
namespace {

Instant At(std::string_view text) { return *ParseInstant(text, "test"); }

struct Case {
  const char* zone;
  const char* noon;  // a time at which it is that day in the zone
  bool is_holiday;
};

class HolidayTest : public ::testing::TestWithParam<Case> {};

TEST_P(HolidayTest, IsKnown) {
  const auto& [zone, noon, is_holiday] = GetParam();
  const auto calendar = ZoneCalendar::Of(zone);
  EXPECT_TRUE(calendar.knows_holidays());
  EXPECT_EQ(calendar.At(At(noon)).holiday, is_holiday) << zone << ' ' << noon;
}

INSTANTIATE_TEST_SUITE_P(
    Days, HolidayTest,
    ::testing::Values(
        // Easter was on 2020-04-12 and on 2021-04-04.
        Case{"DE", "2020-04-10T12:00:00Z", true}, Case{"DE", "2020-04-13T12:00:00Z", true},
        Case{"DE", "2021-04-02T12:00:00Z", true}, Case{"DE", "2021-04-05T12:00:00Z", true},
        Case{"DE", "2021-04-06T12:00:00Z", false}, Case{"DE-LU", "2024-05-09T12:00:00Z", true},
        Case{"DE", "2021-10-04T12:00:00Z", false},  // the 3rd was a Sunday; Monday is not a holiday
        Case{"PL", "2021-06-03T12:00:00Z", true}, Case{"DE", "2021-06-03T12:00:00Z", false},
        Case{"PL", "2021-06-04T12:00:00Z", false}, Case{"SE", "2021-06-25T12:00:00Z", true},
        Case{"SE", "2021-06-18T12:00:00Z", false}, Case{"SE", "2020-06-19T12:00:00Z", true},
        Case{"CISO", "2021-11-25T20:00:00Z", true}, Case{"CISO", "2021-11-26T20:00:00Z", true},
        Case{"CISO", "2021-11-24T20:00:00Z", false}, Case{"ERCO", "2021-07-05T18:00:00Z", true},
        Case{"PJM", "2021-07-06T18:00:00Z", false}, Case{"PJM", "2022-07-05T18:00:00Z", false},
        Case{"US-TEX-ERCO", "2021-05-31T18:00:00Z", true}, Case{"KR", "2023-09-29T03:00:00Z", true},
        Case{"KR", "2023-09-28T03:00:00Z", true}, Case{"KR", "2023-09-27T03:00:00Z", false},
        Case{"CA-ON", "2023-05-22T16:00:00Z", true}, Case{"CA-ON", "2023-05-15T16:00:00Z", false},
        Case{"GB", "2021-08-30T12:00:00Z", true}, Case{"GB", "2021-08-23T12:00:00Z", false},
        Case{"AU-NSW", "2023-01-26T02:00:00Z", true}, Case{"AU-NSW", "2023-01-27T02:00:00Z", false}));

TEST(ZoneCalendarTest, HasTheDayOfThosePlacesNotOfGreenwich) {
  const auto california = ZoneCalendar::Of("CISO");
  // Monday in Greenwich, nine in the evening of Sunday in California.
  EXPECT_EQ(california.At(At("2021-03-01T05:00:00Z")).weekday, 6U);
  EXPECT_EQ(california.At(At("2021-03-01T08:00:00Z")).weekday, 0U);
  EXPECT_EQ(ZoneCalendar::Of("KR").At(At("2021-02-28T16:00:00Z")).weekday, 0U);
  // New Year's Day begins late.
  EXPECT_FALSE(california.At(At("2021-01-01T07:59:59Z")).holiday);
  EXPECT_TRUE(california.At(At("2021-01-01T08:00:00Z")).holiday);
}

TEST(ZoneCalendarTest, KnowsWhenClocksChange) {
  const auto berlin = ZoneCalendar::Of("DE");
  // The short Sunday is over after 23 hours, the long one after 25.
  EXPECT_EQ(berlin.At(At("2021-03-27T22:59:59Z")).weekday, 5U);
  EXPECT_EQ(berlin.At(At("2021-03-27T23:00:00Z")).weekday, 6U);
  EXPECT_EQ(berlin.At(At("2021-03-28T21:59:59Z")).weekday, 6U);
  EXPECT_EQ(berlin.At(At("2021-03-28T22:00:00Z")).weekday, 0U);
  EXPECT_EQ(berlin.At(At("2021-10-30T22:00:00Z")).weekday, 6U);
  EXPECT_EQ(berlin.At(At("2021-10-31T22:59:59Z")).weekday, 6U);
  EXPECT_EQ(berlin.At(At("2021-10-31T23:00:00Z")).weekday, 0U);
}

TEST(ZoneCalendarTest, KeepsUtcAndNoHolidaysWhereItKnowsNothing) {
  for (const char* zone : {"", "XX", "de", "solar-heavy"}) {
    const auto calendar = ZoneCalendar::Of(zone);
    EXPECT_FALSE(calendar.knows_holidays());
    EXPECT_FALSE(calendar.At(At("2021-12-25T12:00:00Z")).holiday);
    EXPECT_EQ(calendar.At(At("2021-02-28T23:59:59Z")).weekday, 6U);
    EXPECT_EQ(calendar.At(At("2021-03-01T00:00:00Z")).weekday, 0U);
  }
}

TEST(ZoneCalendarTest, HasAFewHolidaysAYear) {
  // A wrong rule would give no day or many days.
  for (const char* zone : {"DE", "PL", "SE", "GB", "CISO", "CA-ON", "AU-NSW", "KR"}) {
    const auto calendar = ZoneCalendar::Of(zone);
    for (const int year : {2020, 2021, 2023, 2024}) {
      int holidays = 0;
      const std::chrono::sys_days first{std::chrono::year{year} / 1 / 1};
      for (int day = 0; day < 366; ++day) {
        holidays += calendar.At(first + std::chrono::days{day} + std::chrono::hours{6}).holiday ? 1 : 0;
      }
      EXPECT_GE(holidays, 7) << zone << ' ' << year;
      EXPECT_LE(holidays, 17) << zone << ' ' << year;
    }
  }
}

}  // namespace
}  // namespace heliostat::auto_parts
