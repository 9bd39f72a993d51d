#include "heliostat/base/core/time.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heliostat/base/core/clock.h"

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

// Any second of the years that ISO dates with four digits can express.
rc::Gen<Instant> AnyInstant() {
  return rc::gen::map(rc::gen::inRange<std::int64_t>(-62167219200, 253402300800),
                      [](std::int64_t s) { return Instant{Duration{s}}; });
}

RC_GTEST_PROP(TimeLaws, AnInstantIsReadAsItIsWritten, ()) {
  const Instant t = *AnyInstant();
  RC_ASSERT(*ParseInstant(FormatInstant(t), "t") == t);
}

RC_GTEST_PROP(TimeLaws, WrittenInstantsSortAsTheirTextDoes, ()) {
  const Instant a = *AnyInstant();
  const Instant b = *AnyInstant();
  RC_ASSERT((a < b) == (FormatInstant(a) < FormatInstant(b)));
}

RC_GTEST_PROP(TimeLaws, TheSeparatorAndAZeroFractionChangeNothing, ()) {
  const Instant t = *AnyInstant();
  const std::string text = FormatInstant(t);
  const std::string plain = text.substr(0, 19);
  std::string spaced = plain;
  spaced[10] = ' ';
  for (const std::string& same : {plain, spaced, plain + ".0", plain + ".000000", spaced + "Z", spaced + ".00Z"}) {
    RC_ASSERT(*ParseInstant(same, "t") == t);
  }
}

RC_GTEST_PROP(TimeLaws, AnOffsetIsTakenOffHoweverItIsWritten, ()) {
  const Instant t = *AnyInstant();
  const bool west = *rc::gen::arbitrary<bool>();
  const int hours = *rc::gen::inRange(0, 15);
  const int minutes = *rc::gen::element(0, 15, 30, 45, 59);
  const std::string plain = FormatInstant(t).substr(0, 19);
  const Duration offset = (west ? -1 : 1) * (std::chrono::hours{hours} + std::chrono::minutes{minutes});
  const char sign = west ? '-' : '+';
  RC_ASSERT(*ParseInstant(fmt::format("{}{}{:02}:{:02}", plain, sign, hours, minutes), "t") == t - offset);
  RC_ASSERT(*ParseInstant(fmt::format("{}{}{:02}{:02}", plain, sign, hours, minutes), "t") == t - offset);
}

// Such a text has the same length as one with seconds and no offset.
TEST(TimeTest, AnOffsetOfWholeHoursMayFollowTheMinutes) {
  for (const char* same :
       {"2023-06-01T14:00+02", "2023-06-01 14:00+02", "2023-06-01 06:00-06", "2023-06-01T12:00+00"}) {
    const auto read = ParseInstant(same, "t");
    ASSERT_TRUE(read) << same;
    EXPECT_EQ(FormatInstant(*read), "2023-06-01T12:00:00Z") << same;
  }
}

TEST(TimeTest, OnlyAnOffsetInTheTextCountsAsOne) {
  EXPECT_EQ(ParseIsoTime("2023-06-01 12:00:00")->utc_offset, std::nullopt);
  EXPECT_EQ(ParseIsoTime("2023-06-01")->utc_offset, std::nullopt);
  EXPECT_EQ(ParseIsoTime("2023-06-01T12:00Z")->utc_offset, 0min);
  EXPECT_EQ(ParseIsoTime("2023-06-01T12:00-03:30")->utc_offset, -210min);
  EXPECT_EQ(ParseAmericanTime("06/01/2023 12:00")->utc_offset, std::nullopt);
}

RC_GTEST_PROP(TimeLaws, AmericanAndIsoTextsOfATimeAgree, ()) {
  const Instant t = *AnyInstant();
  const std::string iso = FormatInstant(t).substr(0, 19);
  const std::string american =
      iso.substr(5, 2) + "/" + iso.substr(8, 2) + "/" + iso.substr(0, 4) + " " + iso.substr(11);
  RC_ASSERT(ParseAmericanTime(american)->local == ParseIsoTime(iso)->local);
}

// Leap days come every four years, but in full centuries only if the century number divides by four.
TEST(TimeTest, ADayExistsExactlyWhenTheCalendarHasIt) {
  int days = 0;
  for (int year = 1900; year < 2300; ++year) {
    for (unsigned month = 0; month <= 13; ++month) {
      for (unsigned day = 0; day <= 32; ++day) days += CivilDay(year, month, day) ? 1 : 0;
    }
  }
  EXPECT_EQ(days, 146097);  // of any 400 years of the Gregorian calendar
  EXPECT_FALSE(CivilDay(2100, 2, 29));
  EXPECT_TRUE(CivilDay(2000, 2, 29));
}

RC_GTEST_PROP(TimeLaws, AByteMoreIsNoTime, ()) {
  const std::string text = FormatInstant(*AnyInstant());
  const char more = *rc::gen::distinctFrom('0');
  RC_ASSERT(!ParseIsoTime(text + more));
  RC_ASSERT(!ParseIsoTime(more + text));
  RC_ASSERT(!ParseIsoTime(text.substr(0, *rc::gen::inRange<std::size_t>(0, 10))));
}

TEST(TimeTest, ARefusedTimeIsNamedWithItsPlaceAndAnExample) {
  EXPECT_EQ(ParseInstant("noon", "--start").error().Line(),
            "--start: 'noon' is not a time; a UTC time such as 2023-06-01T00:00:00Z");
  EXPECT_EQ(ParseInstant("noon", "--start").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ParseDuration("soon", "--horizon").error().Line(),
            "--horizon: 'soon' is not a positive length of time; write a number and a unit: 90s, 30m, 24h, 7d, 2w");
  EXPECT_LT(ParseInstant(std::string(10000, 'x'), "t").error().Line().size(), 200U);
}

RC_GTEST_PROP(TimeLaws, ALengthIsTheSumOfItsParts, ()) {
  const int weeks = *rc::gen::inRange(0, 100);
  const int days = *rc::gen::inRange(0, 1000);
  const int hours = *rc::gen::inRange(0, 1000);
  const int minutes = *rc::gen::inRange(0, 1000);
  const int seconds = *rc::gen::inRange(1, 1000);
  const std::string text = fmt::format("{}w{}d{}h{}m{}s", weeks, days, hours, minutes, seconds);
  const Duration sum = std::chrono::days{7 * weeks + days} + std::chrono::hours{hours} + std::chrono::minutes{minutes} +
                       Duration{seconds};
  RC_ASSERT(*ParseDuration(text, "x") == sum);
  RC_ASSERT(!ParseDuration(text + "1", "x"));
  RC_ASSERT(!ParseDuration(" " + text, "x"));
}

RC_GTEST_PROP(TimeLaws, AWrittenLengthSaysAllOfItInOneUnit, ()) {
  const Duration length{*rc::gen::inRange<std::int64_t>(1, 10000000)};
  const std::string text = FormatDuration(length);
  const std::size_t space = text.find(' ');
  const Duration unit = *ParseDuration("1" + text.substr(space + 1, 1), "x");
  RC_ASSERT(std::stoll(text.substr(0, space)) * unit == length);
  for (const Duration larger : {Duration{60}, Duration{3600}, Duration{86400}}) {
    if (larger > unit) RC_ASSERT(length % larger != 0s);
  }
}

RC_GTEST_PROP(IntervalLaws, TheCommonPartHoldsWhatBothHold, ()) {
  const auto any = [] { return Instant{Duration{*rc::gen::inRange(0, 20)}}; };
  const Interval a{any(), any()};
  const Interval b{any(), any()};
  const Interval both = a.Intersect(b);
  for (Instant t{}; t < Instant{20s}; t += 1s) RC_ASSERT(both.Contains(t) == (a.Contains(t) && b.Contains(t)));
  RC_ASSERT(both.length() >= 0s);
  RC_ASSERT(both.empty() == b.Intersect(a).empty());
  if (!both.empty()) {
    RC_ASSERT(both == b.Intersect(a));
    RC_ASSERT(a.Contains(both));
    RC_ASSERT(b.Contains(both));
  }
}

TEST(ClockTest, SystemTimeIsInWholeSecondsNearTheMachines) {
  const SystemClock clock;
  const auto before = std::chrono::system_clock::now();
  const Instant now = clock.Now();
  EXPECT_LE(now, std::chrono::system_clock::now());
  EXPECT_GT(now + 1s, before);
  EXPECT_LE(clock.Steady(), clock.Steady());
}

}  // namespace
}  // namespace heliostat
