#include "heliostat/control/sim/year_saving.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "heliostat/control/sim/earlier_weeks.h"

namespace heliostat::sim {
namespace {

using ::testing::HasSubstr;

std::vector<SavedInPart> Parts(const std::vector<double>& kilograms) {
  std::vector<SavedInPart> parts;
  for (const double kg : kilograms) parts.push_back({{}, kg, -kg});
  return parts;
}

TEST(YearTest, WeeksGiveTheLeastAndTheBestOfThem) {
  const YearSaving year = YearOfWeeks(Parts({7, 14, 21}));
  EXPECT_DOUBLE_EQ(year.carbon_kg.low, 365.25);
  EXPECT_DOUBLE_EQ(year.carbon_kg.mean, 2 * 365.25);
  EXPECT_DOUBLE_EQ(year.carbon_kg.high, 3 * 365.25);
  EXPECT_DOUBLE_EQ(year.cost.low, -3 * 365.25) << "the range of a loss is ordered, too";
}

RC_GTEST_PROP(YearLaws, ARangeOfDaysHoldsItsMeanAndLiesWithinTheDays, ()) {
  std::vector<double> days;
  const int count = *rc::gen::inRange(3, 14);
  for (int i = 0; i < count; ++i) days.push_back(*rc::gen::inRange(-5, 30));
  const YearRange year = YearOfDays(Parts(days)).carbon_kg;
  RC_ASSERT(year.low <= year.mean && year.mean <= year.high);
  const auto [least, best] = std::ranges::minmax(days);
  RC_ASSERT(year.low >= least * 365.25 - 1e-9 && year.high <= best * 365.25 + 1e-9);
}

TEST(YearTest, WholePartsOfTheScenarioAreCountedAndNamed) {
  scenario::Scenario scenario;
  scenario.start = *ParseInstant("2023-06-05T00:00:00Z", "test");
  scenario.slots = 24 * 15;  // two weeks and a day
  SimulatedRun base;
  SimulatedRun better;
  for (std::size_t t = 0; t < scenario.slots; ++t) {
    account::Balance balance;
    balance.carbon = Grams{1000.0 * (t < 24 * 7 ? 1.0 : 3.0)};
    base.slots.push_back(balance);
    better.slots.emplace_back();
  }
  const auto year = SavedInAYear(scenario, base, better);
  ASSERT_TRUE(year && year->by_weeks);
  EXPECT_NEAR(year->carbon_kg.low, 24 * 365.25, 1e-6);
  EXPECT_NEAR(year->carbon_kg.high, 3 * 24 * 365.25, 1e-6);
  EXPECT_THAT(year->Method(), HasSubstr("2 weeks from 2023-06-05 to 2023-06-18"));
  scenario.slots = 24 * 7;
  base.slots.resize(scenario.slots);
  better.slots.resize(scenario.slots);
  const auto week = SavedInAYear(scenario, base, better);
  ASSERT_TRUE(week && !week->by_weeks);
  EXPECT_EQ(week->parts.size(), 7U);
  EXPECT_NEAR(week->carbon_kg.low, week->carbon_kg.high, 1e-6) << "equal days have no spread";
  EXPECT_THAT(week->Method(), HasSubstr("7 days from 2023-06-05 to 2023-06-11"));
  scenario.slots = 24 * 2;
  base.slots.resize(scenario.slots);
  better.slots.resize(scenario.slots);
  EXPECT_FALSE(SavedInAYear(scenario, base, better).has_value()) << "two days say nothing about a year";
}

scenario::Scenario OneHour() {
  scenario::Scenario scenario;
  scenario.start = *ParseInstant("2023-06-12T00:00:00Z", "test");
  scenario.slots = 1;
  scenario.carbon = {GramsPerKwh(100)};
  scenario.renewable = {Watts{0}};
  scenario.jobs.resize(1);
  scenario.jobs[0].submit = scenario.start + Duration{60};
  scenario.jobs[0].deadline = scenario.start + Duration{600};
  return scenario;
}

TEST(MovedBackTest, TheSameWorkMeetsTheSignalsOfAnEarlierWeek) {
  const scenario::Scenario scenario = OneHour();
  scenario::Past past;
  // Half hours over two weeks; the value is the number of the half hour.
  std::vector<double> values;
  for (int i = 0; i < 2 * 24 * 14; ++i) values.push_back(i);
  past.carbon = *signal::StepSeries::Make(scenario.start - std::chrono::days{14}, Duration{1800}, values);
  const auto moved = MovedBack(scenario, past, 1);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->scenario.start, scenario.start - std::chrono::days{7});
  EXPECT_EQ(moved->scenario.jobs[0].submit, moved->scenario.start + Duration{60});
  EXPECT_EQ(moved->scenario.jobs[0].deadline, moved->scenario.start + Duration{600});
  EXPECT_DOUBLE_EQ(InGramsPerKwh(moved->scenario.carbon[0]), 2 * 24 * 7 + 0.5) << "the mean of two half hours";
  EXPECT_EQ(moved->past.carbon->end(), moved->scenario.start) << "forecasts get no later value";
  ASSERT_FALSE(MovedBack(scenario, past, 3));
  EXPECT_THAT(MovedBack(scenario, past, 3).error().Line(),
              HasSubstr("do not have the carbon intensity from 2023-05-22"));
}

TEST(MovedBackTest, ASignalThatTheScenarioHasMustBeKnown) {
  scenario::Scenario scenario = OneHour();
  scenario::Past past;
  past.carbon = *signal::StepSeries::Make(scenario.start - std::chrono::days{7}, Duration{3600},
                                          std::vector<double>(24 * 7, 50.0));
  ASSERT_TRUE(MovedBack(scenario, past, 1)) << "without prices and on-site power";
  scenario.price_per_kwh = {0.1};
  EXPECT_THAT(MovedBack(scenario, past, 1).error().Line(), HasSubstr("the price"));
  scenario.price_per_kwh.clear();
  scenario.renewable = {Watts{5}};
  EXPECT_THAT(MovedBack(scenario, past, 1).error().Line(), HasSubstr("the on-site power"));
}

}  // namespace
}  // namespace heliostat::sim
