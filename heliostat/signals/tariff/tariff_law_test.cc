#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "heliostat/signals/tariff/calendar.h"
#include "heliostat/signals/tariff/expand.h"
#include "heliostat/signals/tariff/rate.h"
#include "heliostat/signals/tariff/read.h"
#include "heliostat/signals/tariff/testing/samples.h"
#include "heliostat/signals/tariff/urdb_schedule.h"

namespace heliostat::tariff {
namespace {

using namespace std::chrono_literals;
using std::chrono::local_days;

Instant At(std::string_view text) { return *ParseInstant(text, "test"); }

std::vector<Tariff> Samples() {
  std::vector<Tariff> tariffs;
  for (const std::string& text : {std::string(testing::kAcn), testing::kCsv, testing::Urdb()}) {
    tariffs.push_back(*ReadTariff(text, "sample_pge.csv"));
  }
  return tariffs;
}

// The cost of a constant load of one kilowatt over `span`, summed per quarter of an hour of the local clock.
double PaidByHand(const Tariff& tariff, const Interval& span, const io::TimeZone& zone) {
  double paid = 0;
  for (Instant t = span.begin; t < span.end; t += 15min) {
    const auto local = zone.ToLocal(t);
    const auto day = std::chrono::floor<std::chrono::days>(local);
    const std::chrono::year_month_day date{day};
    const MonthDay month_day{static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day())};
    const std::size_t weekday = std::chrono::weekday{day}.iso_encoding() - 1;
    for (const EnergyRate& rate : tariff.rates) {
      const Window& when = rate.when;
      if (when.season.Contains(month_day) && when.weekdays.test(weekday) && when.from <= local - day &&
          local - day < when.to) {
        paid += rate.tiers.front().rate / 4;
      }
    }
  }
  return paid;
}

double Paid(const signal::StepSeries& price, const Interval& span) { return *price.Integrate(span) / 3600; }

Instant MonthBegin(int month) {
  return Instant{std::chrono::sys_days{std::chrono::year{2024 + (month - 1) / 12} / ((month - 1) % 12 + 1) / 1}};
}

TEST(BillLaw, MonthsAddUpToTheYearAndEachToWhatIsCountedByHand) {
  const auto zone = *io::TimeZone::Find("America/Los_Angeles");
  for (const Tariff& tariff : Samples()) {
    const Interval year{MonthBegin(1), MonthBegin(13)};
    const auto price = Expand(tariff, year, zone);
    ASSERT_TRUE(price) << price.error().Line();
    double sum = 0;
    for (int month = 1; month <= 12; ++month) {
      const Interval span{MonthBegin(month), MonthBegin(month + 1)};
      const double paid = Paid(price->series, span);
      EXPECT_NEAR(paid, PaidByHand(tariff, span, zone), 1e-9) << tariff.format << " month " << month;
      sum += paid;
    }
    EXPECT_NEAR(sum, Paid(price->series, year), 1e-9) << tariff.format;
  }
}

TEST(BillLaw, ADayOnWhichClocksChangeCosts23Or25Hours) {
  Tariff tariff;
  tariff.time_zone = "America/Los_Angeles";
  tariff.rates = {{{SeasonOfMonths(1, 12), kMondayToFriday, 0h, 24h}, {Tier{1.0, std::nullopt, "kWh"}}},
                  {{SeasonOfMonths(1, 12), kWeekend, 0h, 24h}, {Tier{0.5, std::nullopt, "kWh"}}}};
  const auto paid = [&](std::string_view begin, std::string_view end) {
    const Interval span{At(begin), At(end)};
    return Paid(Expand(tariff, span)->series, span);
  };
  EXPECT_DOUBLE_EQ(paid("2024-03-10T08:00Z", "2024-03-11T07:00Z"), 23 * 0.5);
  EXPECT_DOUBLE_EQ(paid("2024-11-03T07:00Z", "2024-11-04T08:00Z"), 25 * 0.5);
  EXPECT_DOUBLE_EQ(paid("2024-03-11T07:00Z", "2024-03-12T07:00Z"), 24.0) << "the Monday after";
}

TEST(BillLaw, AHolidayCostsWhatItsWeekdayDoes) {
  const Tariff tariff = *ReadTariff(testing::kAcn, "sample");
  // Tuesday 4 July 2023 and the Tuesday after, both from midnight in Los Angeles.
  const auto fourth = Expand(tariff, {At("2023-07-04T07:00Z"), At("2023-07-05T07:00Z")});
  const auto later = Expand(tariff, {At("2023-07-11T07:00Z"), At("2023-07-12T07:00Z")});
  EXPECT_EQ(fourth->series.values(), later->series.values());
}

RC_GTEST_PROP(ExpandLaw, APartOfASpanHasThePricesOfTheWhole, ()) {
  static const std::vector<Tariff> kSamples = Samples();
  const Tariff& tariff = kSamples[*rc::gen::inRange<std::size_t>(0, kSamples.size())];
  const char* const name = *rc::gen::element<const char*>("America/Los_Angeles", "Europe/Berlin", "Asia/Kathmandu");
  const auto zone = *io::TimeZone::Find(name);
  const Interval whole{At("2024-10-20"), At("2024-11-10")};  // clocks change within it
  const int quarters = static_cast<int>(whole.length() / Duration{15min});
  const int first = *rc::gen::inRange(0, quarters);
  const int last = *rc::gen::inRange(first + 1, quarters + 1);
  const Interval part{whole.begin + first * 15min, whole.begin + last * 15min};
  const auto of_whole = Expand(tariff, whole, zone);
  const auto of_part = Expand(tariff, part, zone);
  RC_ASSERT(of_whole.has_value() && of_part.has_value());
  for (Instant t = part.begin; t < part.end; t += 15min) {
    RC_ASSERT(*of_part->series.At(t) == *of_whole->series.At(t));
  }
}

UrdbSchedule AnySchedule() {
  UrdbSchedule schedule;
  for (UrdbMonth& month : schedule) {
    const auto change = *rc::gen::inRange<std::size_t>(0, 24);
    const auto early = *rc::gen::inRange<std::size_t>(0, 3);
    const auto late = *rc::gen::inRange<std::size_t>(0, 3);
    const bool has_weekends = *rc::gen::arbitrary<bool>();
    for (std::size_t hour = 0; hour < 24; ++hour) {
      month.weekday[hour] = hour < change ? early : late;
      month.weekend[hour] = has_weekends ? 0 : month.weekday[hour];
    }
  }
  return schedule;
}

RC_GTEST_PROP(UrdbScheduleLaw, EachHourOfEachDayLiesInTheOneWindowOfItsPeriod, ()) {
  const UrdbSchedule schedule = AnySchedule();
  const auto windows = WindowsOf(schedule);
  for (unsigned month = 1; month <= 12; ++month) {
    for (const unsigned day : {1U, LastDayOf(month)}) {
      for (const std::size_t weekday : {0U, 4U, 5U, 6U}) {
        for (std::size_t hour = 0; hour < 24; ++hour) {
          std::vector<std::size_t> periods;
          for (const UrdbWindow& window : windows) {
            const std::chrono::hours at{static_cast<int>(hour)};
            if (window.when.season.Contains({month, day}) && window.when.weekdays.test(weekday) &&
                window.when.from <= at && at < window.when.to) {
              periods.push_back(window.period);
            }
          }
          const UrdbMonth& said = schedule[month - 1];
          RC_ASSERT(periods == std::vector<std::size_t>{weekday < 5 ? said.weekday[hour] : said.weekend[hour]});
        }
      }
    }
  }
}

TEST(UrdbScheduleTest, AScheduleThatNeverChangesIsOneWindow) {
  UrdbSchedule schedule;
  for (UrdbMonth& month : schedule) {
    month.weekday.fill(1);
    month.weekend.fill(1);
  }
  const auto windows = WindowsOf(schedule);
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows[0].period, 1U);
  EXPECT_EQ(windows[0].when.weekdays, kEveryDay);
  EXPECT_EQ(HoursText(windows[0].when), "all day");
  EXPECT_EQ(windows[0].when.season.name, "all year");
}

RC_GTEST_PROP(SeasonLaw, ASeasonAndWhatFollowsItHoldEachDayOnce, ()) {
  const auto first = *rc::gen::inRange(0U, kDaysOfLeapYear);
  const auto length = *rc::gen::inRange(1U, kDaysOfLeapYear);
  const auto at = [](unsigned day) { return DayAt(day % kDaysOfLeapYear); };
  const Season one{"one", at(first), at(first + length - 1)};
  const Season rest{"rest", at(first + length), at(first + kDaysOfLeapYear - 1)};
  unsigned days = 0;
  for (unsigned day = 0; day < kDaysOfLeapYear; ++day) {
    RC_ASSERT(one.Contains(DayAt(day)) != rest.Contains(DayAt(day)));
    days += one.Contains(DayAt(day)) ? 1 : 0;
  }
  RC_ASSERT(days == length);
}

TEST(WindowTest, HoursOfTheDayAreWholeQuarters) {
  for (int quarter = 0; quarter <= 96; ++quarter) EXPECT_EQ(*HourOfDay(quarter / 4.0, "x"), quarter * 15min);
  for (const double wrong : {-0.25, 24.25, 0.1, 8.249999, std::nan(""), HUGE_VAL}) {
    EXPECT_FALSE(HourOfDay(wrong, "x")) << wrong;
  }
}

TEST(WindowTest, IsSaidInWords) {
  EXPECT_EQ(ClockText(8h + 5min), "08:05");
  EXPECT_EQ(ClockText(24h), "24:00");
  EXPECT_EQ(DayText({2, 29}), "29 February");
  EXPECT_EQ(WeekdaysText(Weekdays{0b0000101}), "Monday, Wednesday");
  EXPECT_EQ(WeekdaysText(kWeekend), "Saturday, Sunday");
  EXPECT_EQ(WeekdaysText(kEveryDay), "every day");
  EXPECT_EQ(HoursText({SeasonOfMonths(1, 12), kEveryDay, 30min, 24h}), "00:30-24:00");
  EXPECT_EQ(SeasonOfMonths(6, 6).name, "June");
  EXPECT_EQ(SeasonOfMonths(2, 2).last, (MonthDay{2, 29}));
}

TEST(RateTest, IsFiniteAndBelowAMillion) {
  EXPECT_EQ(*CheckedRate(-0.05, "x"), -0.05) << "some hours pay for use";
  EXPECT_TRUE(CheckedRate(999999.0, "x"));
  for (const double wrong : {1e6, -1e6, HUGE_VAL, std::nan("")}) EXPECT_FALSE(CheckedRate(wrong, "x")) << wrong;
}

}  // namespace
}  // namespace heliostat::tariff
