#include "heliostat/core/time.h"

#include <gtest/gtest.h>

#include "heliostat/core/clock.h"

namespace heliostat {
namespace {

using namespace std::chrono_literals;

TEST(TimeTest, ReadsIsoTimesWithAndWithoutOffset) {
  const Instant noon = *ParseInstant("2023-06-01T12:00:00Z", "t");
  EXPECT_EQ(FormatInstant(noon), "2023-06-01T12:00:00Z");
  for (const char* same : {"2023-06-01 12:00", "2023-06-01 12:00:00", "2023-06-01T12:00:00.000Z",
                           "2023-06-01T14:00:00+02:00", "2023-06-01 06:00:00-0600", "2023-06-01 17:30+05:30"}) {
    EXPECT_EQ(*ParseInstant(same, "t"), noon) << same;
  }
  EXPECT_EQ(FormatInstant(*ParseInstant("2024-02-29", "t")), "2024-02-29T00:00:00Z");
}

TEST(TimeTest, RefusesWhatIsNotADate) {
  for (const char* bad : {"", "2023", "2023-02-29", "2023-13-01T00:00Z", "2023-06-01T24:00Z", "2023-06-01T00:60Z",
                          "2023-06-01T00:00:00.5Z", "2023-06-01T00:00Zz", "2023-06-01x00:00", "01/02/2023 00:00",
                          "2023-06-01T00:00+99:00", "2023-6-1 00:00"}) {
    EXPECT_FALSE(ParseInstant(bad, "t")) << bad;
  }
}

TEST(TimeTest, ReadsAmericanTimes) {
  EXPECT_EQ(ParseAmericanTime("12/31/2021 23:00:00")->local, ParseIsoTime("2021-12-31 23:00")->local);
  for (const char* bad : {"13/01/2021 00:00:00", "2/30/2021 00:00", "12/31/21 00:00", "12/31/2021"}) {
    EXPECT_FALSE(ParseAmericanTime(bad)) << bad;
  }
}

TEST(TimeTest, ReadsDurations) {
  EXPECT_EQ(*ParseDuration("24h", "x"), 24h);
  EXPECT_EQ(*ParseDuration("1h30m", "x"), 90min);
  EXPECT_EQ(*ParseDuration("2w", "x"), 336h);
  for (const char* bad : {"", "0h", "-1h", "5", "h", "1.5h", "3y", "99999999999s", "999999999w"}) {
    EXPECT_FALSE(ParseDuration(bad, "x")) << bad;
  }
  EXPECT_EQ(FormatDuration(30min), "30 min");
  EXPECT_EQ(FormatDuration(48h), "2 d");
}

TEST(IntervalTest, IsHalfOpen) {
  const Instant t{};
  const Interval hour{t, t + 1h};
  EXPECT_TRUE(hour.Contains(t));
  EXPECT_FALSE(hour.Contains(t + 1h));
  EXPECT_EQ(hour.Intersect({t + 30min, t + 2h}), (Interval{t + 30min, t + 1h}));
  EXPECT_TRUE(hour.Intersect({t + 2h, t + 3h}).empty());
}

TEST(ClockTest, ManualClockMovesOnlyWhenTold) {
  ManualClock clock(Instant{} + 100s);
  EXPECT_EQ(clock.Now(), Instant{} + 100s);
  clock.Sleep(1500ms);
  clock.Advance(500ms);
  EXPECT_EQ(clock.Now(), Instant{} + 102s);
  EXPECT_EQ(clock.slept(), 1500ms);
}

TEST(ClockTest, ACorrectionOfTheWallClockMovesNoSteadyTime) {
  ManualClock clock(Instant{} + 100s);
  const Clock::Time before = clock.Steady();
  clock.Advance(1500ms);
  EXPECT_EQ(clock.Steady() - before, 1500ms);
  clock.Set(Instant{});
  EXPECT_EQ(clock.Steady() - before, 1500ms);
  clock.Sleep(500ms);
  EXPECT_EQ(clock.Steady() - before, 2s);
}

// Such a text is as long as one with seconds and no offset.
TEST(TimeTest, AnOffsetOfWholeHoursMayFollowTheMinutes) {
  for (const char* same :
       {"2023-06-01T14:00+02", "2023-06-01 14:00+02", "2023-06-01 06:00-06", "2023-06-01T12:00+00"}) {
    const auto read = ParseInstant(same, "t");
    ASSERT_TRUE(read) << same;
    EXPECT_EQ(FormatInstant(*read), "2023-06-01T12:00:00Z") << same;
  }
}

}  // namespace
}  // namespace heliostat
