#include "heliostat/signals/tariff/calendar.h"

#include <gtest/gtest.h>

#include "heliostat/signals/tariff/read.h"
#include "heliostat/signals/tariff/testing/samples.h"

namespace heliostat::tariff {
namespace {

using namespace std::chrono_literals;
using std::chrono::local_days;
using std::chrono::local_seconds;

local_seconds Local(int year, unsigned month, unsigned day, std::chrono::minutes time_of_day = 0min) {
  return local_days{std::chrono::year{year} / static_cast<int>(month) / static_cast<int>(day)} + time_of_day;
}

EnergyRate Rate(Season season, Weekdays weekdays, std::chrono::minutes from, std::chrono::minutes to, double rate) {
  return {{std::move(season), weekdays, from, to}, {Tier{rate, std::nullopt, "kWh"}}};
}

Tariff WholeYear() {
  Tariff tariff;
  tariff.file = "own";
  tariff.rates = {Rate(SeasonOfMonths(1, 12), kMondayToFriday, 0h, 24h, 1.0),
                  Rate(SeasonOfMonths(1, 12), kWeekend, 0h, 24h, 2.0)};
  return tariff;
}

TEST(SeasonTest, RunsOverTheEndOfTheYear) {
  const Season winter{"winter", {11, 1}, {4, 30}};
  EXPECT_TRUE(winter.Contains({11, 1}));
  EXPECT_TRUE(winter.Contains({12, 31}));
  EXPECT_TRUE(winter.Contains({2, 29}));
  EXPECT_TRUE(winter.Contains({4, 30}));
  EXPECT_FALSE(winter.Contains({5, 1}));
  EXPECT_FALSE(winter.Contains({10, 31}));
}

TEST(SeasonTest, DaysOfALeapYearAreNumberedWithoutHoles) {
  for (unsigned day = 0; day < kDaysOfLeapYear; ++day) EXPECT_EQ(DayOfLeapYear(DayAt(day)), day);
  EXPECT_EQ(DayAt(59), (MonthDay{2, 29}));
  EXPECT_EQ(DayAt(365), (MonthDay{12, 31}));
}

TEST(RateCalendarTest, TellsWeekdaysFromWeekends) {
  const auto calendar = RateCalendar::Make(WholeYear());
  ASSERT_TRUE(calendar);
  EXPECT_EQ(calendar->RateAt(Local(2024, 3, 1, 23h + 59min)), 0U);  // a Friday
  EXPECT_EQ(calendar->RateAt(Local(2024, 3, 2)), 1U);
  EXPECT_EQ(calendar->RateAt(Local(2024, 3, 3, 24h - 1min)), 1U);
  EXPECT_EQ(calendar->RateAt(Local(2024, 3, 4)), 0U);
}

// Each quarter of an hour of a leap year is in exactly one window.
TEST(RateCalendarTest, EachQuarterOfALeapYearHasExactlyTheRateWhoseWindowHoldsIt) {
  for (const std::string& text : {std::string(testing::kAcn), testing::kCsv, testing::Urdb()}) {
    const auto tariff = ReadTariff(text, "sample");
    ASSERT_TRUE(tariff) << tariff.error().Line();
    const auto calendar = RateCalendar::Make(*tariff);
    ASSERT_TRUE(calendar);
    for (local_seconds t = Local(2024, 1, 1); t < Local(2025, 1, 1); t += 15min) {
      const auto day = std::chrono::floor<std::chrono::days>(t);
      const std::chrono::year_month_day date{day};
      const MonthDay month_day{static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day())};
      const std::size_t weekday = std::chrono::weekday{day}.iso_encoding() - 1;
      std::vector<std::size_t> holding;
      for (std::size_t i = 0; i < tariff->rates.size(); ++i) {
        const Window& when = tariff->rates[i].when;
        if (when.season.Contains(month_day) && when.weekdays.test(weekday) && when.from <= t - day &&
            t - day < when.to) {
          holding.push_back(i);
        }
      }
      ASSERT_EQ(holding.size(), 1U) << tariff->format;
      ASSERT_EQ(calendar->RateAt(t), holding.front()) << tariff->format;
    }
  }
}

TEST(RateCalendarTest, AnHourWithoutARateIsNamed) {
  Tariff tariff = WholeYear();
  tariff.rates[1].when.from = 30min;
  EXPECT_EQ(RateCalendar::Make(tariff).error().Line(),
            "own: 1 January to 31 December, Saturday 00:00 has no rate; each hour must have exactly one");
  tariff = WholeYear();
  tariff.rates[0].when.season = SeasonOfMonths(3, 12);
  EXPECT_EQ(RateCalendar::Make(tariff).error().Line(),
            "own: 1 January to 29 February, Monday 00:00 has no rate; each hour must have exactly one");
}

TEST(RateCalendarTest, AnHourWithTwoRatesIsNamed) {
  Tariff tariff = WholeYear();
  tariff.rates.push_back(Rate(SeasonOfMonths(7, 8), kWeekend, 17h + 30min, 18h, 3.0));
  EXPECT_EQ(
      RateCalendar::Make(tariff).error().Line(),
      "own: season 'July to August', Saturday 17:30 has two rates, the other from season 'all year'; each hour must "
      "have exactly one");
}

TEST(RateCalendarTest, StepIsTheCoarsestThatShowsEveryChange) {
  const auto step_with_change_at = [](std::chrono::minutes change) {
    Tariff tariff;
    tariff.rates = {Rate(SeasonOfMonths(1, 12), kEveryDay, 0h, change, 1.0),
                    Rate(SeasonOfMonths(1, 12), kEveryDay, change, 24h, 2.0)};
    return RateCalendar::Make(tariff)->step();
  };
  EXPECT_EQ(step_with_change_at(7h), 60min);
  EXPECT_EQ(step_with_change_at(7h + 30min), 30min);
  EXPECT_EQ(step_with_change_at(7h + 45min), 15min);
}

TEST(RateCalendarTest, RefusesWindowsThatNoReaderWouldMake) {
  for (const auto& [from, to] : {std::pair{-15min, 24h + 0min}, std::pair{0min, 24h + 15min},
                                 std::pair{5min, 24h + 0min}, std::pair{60min, 60min}}) {
    Tariff tariff = WholeYear();
    tariff.rates[0].when.from = from;
    tariff.rates[0].when.to = to;
    EXPECT_FALSE(RateCalendar::Make(tariff)) << from.count();
  }
  EXPECT_FALSE(RateCalendar::Make(Tariff{}));
}

}  // namespace
}  // namespace heliostat::tariff
