#include "heliostat/ui/experiments/setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/base/core/testing/data_folder.h"
#include "heliostat/ui/experiments/design.h"
#include "heliostat/ui/experiments/outcome.h"

namespace heliostat::experiments {
namespace {

using ::testing::HasSubstr;

Case SmallCase(const std::string& place) {
  Case one = BaseCase("test", place, SeasonsFor(Size::kQuick).front(), kDemands[0], Size::kQuick);
  one.recipe.on_site = workload::OnSite::kSolar;
  one.entries = {{"run-now", {Sight::Kind::kSignals, 0.0}}, {"run-now+sleep", {Sight::Kind::kSignals, 0.0}}};
  return one;
}

TEST(SetupTest, WhatCameBeforeEndsWhereTheScenarioBegins) {
  const auto setup = MakeSetup(SmallCase("duck-curve"), BuiltInWorld());
  ASSERT_TRUE(setup) << setup.error().Line();
  const scenario::Past& past = setup->past;
  for (const auto& series : {past.carbon, past.price, past.renewable, past.requests.at(0)}) {
    ASSERT_TRUE(series);
    EXPECT_EQ(series->end(), setup->scenario.start);
    EXPECT_EQ(series->start(), setup->scenario.start - kHistory);
    EXPECT_EQ(series->missing(), 0U);
  }
}

// Forecasts learn from one and are judged by the other: two days' shift or a factor between them would be our error.
TEST(SetupTest, WhatComesBeforeALaterCaseIsWhatAnEarlierOneHolds) {
  for (const char* place : {"duck-curve", "wind-heavy"}) {
    Case one = SmallCase(place);
    const auto earlier = MakeSetup(one, BuiltInWorld());
    one.recipe.start += std::chrono::hours{48};
    const auto later = MakeSetup(one, BuiltInWorld());
    ASSERT_TRUE(earlier && later);
    const Interval same = earlier->scenario.horizon();
    const auto carbon = later->past.carbon->Slice(same);
    const auto price = later->past.price->Slice(same);
    const auto renewable = later->past.renewable->Slice(same);
    ASSERT_TRUE(carbon && price && renewable);
    double sum_before = 0.0;
    double sum_inside = 0.0;
    for (std::size_t i = 0; i < 48; ++i) {
      EXPECT_NEAR(carbon->values()[i], InGramsPerKwh(earlier->scenario.carbon[i]), 0.01);
      EXPECT_NEAR(price->values()[i], earlier->scenario.price_per_kwh[i], 1e-5);
      sum_before += renewable->values()[i];
      sum_inside += InKilowatts(earlier->scenario.renewable[i]);
    }
    // The plants may differ in size, as the jobs' draw does, but not in what they do each hour.
    const double factor = sum_before / sum_inside;
    EXPECT_GT(factor, 0.5);
    EXPECT_LT(factor, 2.0);
    for (std::size_t i = 0; i < 48; ++i) {
      EXPECT_NEAR(renewable->values()[i], InKilowatts(earlier->scenario.renewable[i]) * factor, 0.05) << place << i;
    }
  }
}

TEST(SetupTest, RequestsBeforeAreAsManyAsThoseInside) {
  const auto setup = MakeSetup(SmallCase("coal"), BuiltInWorld());
  ASSERT_TRUE(setup);
  double before = 0.0;
  double inside = 0.0;
  const auto week = setup->past.requests[0]->Slice(
      {setup->scenario.start - std::chrono::days{7}, setup->scenario.start - std::chrono::days{5}});
  ASSERT_TRUE(week);
  for (std::size_t i = 0; i < 48; ++i) {
    before += week->values()[i];
    inside += setup->scenario.services[0].requests_per_s[i];
  }
  EXPECT_NEAR(before / inside, 1.0, 0.1);
}

TEST(SetupTest, WakingCostsWhatTheCaseSays) {
  Case one = SmallCase("coal");
  const auto usual = MakeSetup(one, BuiltInWorld());
  one.wake_cost = 3.0;
  const auto dear = MakeSetup(one, BuiltInWorld());
  one.wake_cost = 0.0;
  const auto free = MakeSetup(one, BuiltInWorld());
  ASSERT_TRUE(usual && dear && free);
  EXPECT_EQ(dear->scenario.groups[0].wake_time, usual->scenario.groups[0].wake_time * 3);
  EXPECT_DOUBLE_EQ(dear->scenario.groups[0].wake_energy.value, usual->scenario.groups[0].wake_energy.value * 3.0);
  EXPECT_EQ(free->scenario.groups[0].wake_time, Duration{0});
}

TEST(SetupTest, APlaceThatIsNotThereIsRefused) {
  const auto setup = MakeSetup(SmallCase("duck-curves"), BuiltInWorld());
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
  for (const CaseScore& score : outcome->scores) EXPECT_GE(score.figures.carbon_kg, outcome->bound.carbon_kg);
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
    ASSERT_TRUE(MakeSetup(SmallCase(place.name), *world)) << place.name;
  }
  EXPECT_EQ(priced, 7U);
}

TEST(PlacesTest, AFolderWithoutTheFilesIsRefusedByName) {
  const auto world = RealWorld("/nonexistent");
  ASSERT_FALSE(world);
  EXPECT_THAT(world.error().Line(), HasSubstr("em_2023_2024_lca.csv"));
}

}  // namespace
}  // namespace heliostat::experiments
