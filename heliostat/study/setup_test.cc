#include "heliostat/study/setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/core/testing/data_folder.h"
#include "heliostat/study/design.h"
#include "heliostat/study/outcome.h"

namespace heliostat::study {
namespace {

using testing::HasSubstr;

Case SmallCase(const std::string& place) {
  Case one = BaseCase("test", place, SeasonsFor(Size::kQuick).front(), kDemands[0], Size::kQuick);
  one.recipe.on_site = workload::OnSite::kMixed;
  one.entries = {{"run-now", {Sight::Kind::kSignals, 0.0}}, {"run-now+sleep", {Sight::Kind::kSignals, 0.0}}};
  return one;
}

TEST(SetupTest, WhatCameBeforeEndsWhereTheScenarioBegins) {
  const auto setup = SetUp(SmallCase("duck-curve"), BuiltInWorld());
  ASSERT_TRUE(setup) << setup.error().Line();
  const scenario::Past& past = setup->past;
  for (const auto& series : {past.carbon, past.price, past.renewable, past.requests.at(0)}) {
    ASSERT_TRUE(series);
    EXPECT_EQ(series->end(), setup->scenario.start);
    EXPECT_EQ(series->start(), setup->scenario.start - kHistory);
    EXPECT_EQ(series->missing(), 0U);
  }
}

// Forecasts learn from one and are judged by the other: a factor between them would be an error of ours.
TEST(SetupTest, WhatCameBeforeIsOnTheScenariosScale) {
  for (const char* place : {"duck-curve", "wind-heavy"}) {
    const auto setup = SetUp(SmallCase(place), BuiltInWorld());
    ASSERT_TRUE(setup);
    const auto mean_of = [](const std::vector<double>& values) {
      double sum = 0.0;
      for (const double value : values) sum += value;
      return sum / static_cast<double>(values.size());
    };
    std::vector<double> carbon;
    for (const CarbonIntensity value : setup->scenario.carbon) carbon.push_back(InGramsPerKwh(value));
    EXPECT_NEAR(mean_of(setup->past.carbon->values()) / mean_of(carbon), 1.0, 0.5) << place;
    EXPECT_NEAR(mean_of(setup->past.requests[0]->values()) / mean_of(setup->scenario.services[0].requests_per_s), 1.0,
                0.25)
        << place;
    double most = 0.0;
    for (const Watts power : setup->scenario.renewable) most = std::max(most, InKilowatts(power));
    const auto& before = setup->past.renewable->values();
    EXPECT_NEAR(*std::max_element(before.begin(), before.end()) / most, 1.0, 0.9) << place;
  }
}

TEST(SetupTest, WakingCostsWhatTheCaseSays) {
  Case one = SmallCase("coal");
  const auto usual = SetUp(one, BuiltInWorld());
  one.wake_cost = 3.0;
  const auto dear = SetUp(one, BuiltInWorld());
  one.wake_cost = 0.0;
  const auto free = SetUp(one, BuiltInWorld());
  ASSERT_TRUE(usual && dear && free);
  EXPECT_EQ(dear->scenario.groups[0].wake_time, usual->scenario.groups[0].wake_time * 3);
  EXPECT_DOUBLE_EQ(dear->scenario.groups[0].wake_energy.value, usual->scenario.groups[0].wake_energy.value * 3.0);
  EXPECT_EQ(free->scenario.groups[0].wake_time, Duration{0});
}

TEST(SetupTest, APlaceThatIsNotThereIsRefused) {
  const auto setup = SetUp(SmallCase("duck-curves"), BuiltInWorld());
  ASSERT_FALSE(setup);
  EXPECT_THAT(setup.error().Line(), HasSubstr("duck-curve"));
}

TEST(OutcomeTest, EqualCasesHaveEqualOutcomesAndSurviveJson) {
  Case one = SmallCase("mixed-import");
  const auto first = RunCase(one, BuiltInWorld());
  const auto second = RunCase(one, BuiltInWorld());
  ASSERT_TRUE(first && second) << first.error().Line();
  const std::string text = ToJson(*first).Dump();
  EXPECT_EQ(ToJson(*second).Dump(), text);
  const auto json = io::Json::Parse(text, "test");
  ASSERT_TRUE(json);
  const auto again = OutcomeOf(*json);
  ASSERT_TRUE(again) << again.error().Line();
  EXPECT_EQ(ToJson(*again).Dump(), text);
  ASSERT_EQ(again->scores.size(), 2U);
  EXPECT_EQ(again->scores[1].entry, one.entries[1]);
}

// Entries of one sight share a foresight; which others there are must not matter.
TEST(OutcomeTest, AnEntrysScoreDoesNotDependOnTheOthers) {
  Case both = SmallCase("hydro");
  both.entries = {{"run-now", {Sight::Kind::kSignals, 0.0}},
                  {"wait-awhile", {Sight::Kind::kDisturbed, 0.4}},
                  {"wait-awhile", {Sight::Kind::kSignals, 0.0}}};
  Case alone = both;
  alone.entries = {both.entries[1]};
  const auto of_both = RunCase(both, BuiltInWorld());
  const auto of_one = RunCase(alone, BuiltInWorld());
  ASSERT_TRUE(of_both && of_one);
  EXPECT_EQ(of_both->Find("wait-awhile", {Sight::Kind::kDisturbed, 0.4})->figures.carbon_kg,
            of_one->scores[0].figures.carbon_kg);
  EXPECT_EQ(of_both->Find("wait-awhile"), nullptr);
}

TEST(OutcomeTest, NobodyEmitsLessThanTheBound) {
  Case one = SmallCase("wind-heavy");
  one.recipe.best_effort = 0.0;
  one.with_bound = true;
  const auto outcome = RunCase(one, BuiltInWorld());
  ASSERT_TRUE(outcome);
  EXPECT_GT(outcome->bound.carbon_kg, 0.0);
  for (const Score& score : outcome->scores) EXPECT_GE(score.figures.carbon_kg, outcome->bound.carbon_kg);
}

TEST(OutcomeTest, SleepSavesEnergyAndLeavesTheWorkAsItIs) {
  const auto outcome = RunCase(SmallCase("solar-heavy"), BuiltInWorld());
  ASSERT_TRUE(outcome);
  const sim::Figures& awake = outcome->scores[0].figures;
  const sim::Figures& asleep = outcome->scores[1].figures;
  EXPECT_LT(asleep.energy_kwh, awake.energy_kwh);
  EXPECT_EQ(asleep.jobs_total, awake.jobs_total);
}

TEST(PlacesTest, RealPlacesHaveTwoYearsWithoutHoles) {
  const auto folder = heliostat::testing::DataFolder();
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << heliostat::testing::kNoData << folder;
  const auto world = RealWorld(folder.string());
  ASSERT_TRUE(world) << world.error().Line();
  ASSERT_EQ(world->places.size(), 8U);
  std::size_t priced = 0;
  for (const Place& place : world->places) {
    ASSERT_TRUE(place.carbon) << place.name;
    EXPECT_EQ(place.carbon->series.missing(), 0U) << place.name;
    EXPECT_EQ(place.carbon->series.size(), 17544U) << place.name;
    if (!place.price) continue;
    ++priced;
    EXPECT_EQ(place.price->series.missing(), 0U) << place.name;
    ASSERT_TRUE(SetUp(SmallCase(place.name), *world)) << place.name;
  }
  EXPECT_EQ(priced, 7U);
}

TEST(PlacesTest, AFolderWithoutTheFilesIsRefusedByName) {
  const auto world = RealWorld("/nonexistent");
  ASSERT_FALSE(world);
  EXPECT_THAT(world.error().Line(), HasSubstr("em_2023_2024_lca.csv"));
}

}  // namespace
}  // namespace heliostat::study
