#include "heliostat/ui/experiments/design.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "heliostat/ui/experiments/statistics.h"

namespace heliostat::experiments {
namespace {

using ::testing::HasSubstr;

// A recipe that none of the changes below leaves as it is.
Case SomeCase() {
  Case one = BaseCase("test", "coal", SeasonsFor(Size::kQuick).front(), kDemands[0], Size::kQuick);
  one.entries = {{"run-now"}, {"edf", {Sight::Kind::kDisturbed, 0.3}}};
  return one;
}

TEST(DescribeLaw, EveryNumberThatAResultFollowsFromIsInTheLine) {
  const std::vector<std::pair<const char*, std::function<void(Case&)>>> changes{
      {"study", [](Case& c) { c.labels.study = "other"; }},
      {"place", [](Case& c) { c.labels.place = "hydro"; }},
      {"variant", [](Case& c) { c.labels.variant = "pue 1.4"; }},
      {"start", [](Case& c) { c.recipe.start += std::chrono::hours{1}; }},
      {"step", [](Case& c) { c.recipe.step = Duration{1800}; }},
      {"slots", [](Case& c) { c.recipe.slots += 1; }},
      {"seed", [](Case& c) { c.recipe.seed += 1; }},
      {"gpu", [](Case& c) { c.recipe.hardware[0].gpu = "H100"; }},
      {"nodes", [](Case& c) { c.recipe.hardware[1].nodes += 1; }},
      {"gpus per node", [](Case& c) { c.recipe.hardware[0].gpus_per_node += 1; }},
      {"pue", [](Case& c) { c.recipe.pue += 1e-9; }},
      {"performance", [](Case& c) { c.recipe.performance = scenario::Performance::kHeadroom; }},
      {"prices", [](Case& c) { c.recipe.has_prices = !c.recipe.has_prices; }},
      {"on site", [](Case& c) { c.recipe.on_site = workload::OnSite::kWind; }},
      {"share", [](Case& c) { c.recipe.renewable_share += 1e-9; }},
      {"renewable carbon", [](Case& c) { c.recipe.renewable_carbon_g_per_kwh = 11.0; }},
      {"load", [](Case& c) { *c.recipe.load += 1e-9; }},
      {"jobs", [](Case& c) { c.recipe.jobs = 9; }},
      {"slack", [](Case& c) { c.recipe.slack += 1e-9; }},
      {"best effort", [](Case& c) { c.recipe.best_effort = 0.2; }},
      {"in one piece", [](Case& c) { c.recipe.in_one_piece = 0.2; }},
      {"elasticity", [](Case& c) { c.recipe.elasticity = 1.0; }},
      {"resume", [](Case& c) { c.recipe.resume = Duration{90}; }},
      {"deadlines", [](Case& c) { c.recipe.has_feasible_deadlines = !c.recipe.has_feasible_deadlines; }},
      {"knobs", [](Case& c) { c.recipe.knob_steps += 1; }},
      {"services", [](Case& c) { c.recipe.services += 1; }},
      {"serving share", [](Case& c) { c.recipe.serving_share = 0.1; }},
      {"wake cost", [](Case& c) { c.wake_cost = 1.0 + 1e-9; }},
      {"bound", [](Case& c) { c.with_bound = !c.with_bound; }},
      {"policy", [](Case& c) { c.entries[0].policy = "run-now+sleep"; }},
      {"order of policies", [](Case& c) { std::swap(c.entries[0], c.entries[1]); }},
      {"sight", [](Case& c) { c.entries[0].sight.kind = Sight::Kind::kPerfect; }},
      {"error", [](Case& c) { c.entries[1].sight.error += 1e-9; }},
      {"one policy less", [](Case& c) { c.entries.pop_back(); }},
  };
  const std::string plain = Describe(SomeCase());
  EXPECT_EQ(plain, Describe(SomeCase()));
  EXPECT_EQ(plain.find('\n'), std::string::npos) << "one line";
  std::set<std::string> seen{plain};
  for (const auto& [what, change] : changes) {
    Case one = SomeCase();
    change(one);
    EXPECT_TRUE(seen.insert(Describe(one)).second) << what;
  }
}

TEST(SightTest, NamesTellSightsApart) {
  EXPECT_EQ(NameOf(Sight{}), "forecast");
  EXPECT_EQ(NameOf({Sight::Kind::kSignals, 0.0}), "signals");
  EXPECT_EQ(NameOf({Sight::Kind::kPerfect, 0.0}), "perfect");
  EXPECT_EQ(NameOf({Sight::Kind::kDisturbed, 0.2}), "error 0.2");
}

TEST(DesignLaw, SeasonsBeginOnMondaysOfTheMonthTheyAreNamedAfter) {
  const std::vector<StudySeason> seasons = SeasonsFor(Size::kUsual);
  ASSERT_EQ(seasons.size(), 4U);
  const std::map<std::string, unsigned> months{{"Jan", 1}, {"Apr", 4}, {"Jul", 7}, {"Oct", 10}};
  for (const StudySeason& season : seasons) {
    const auto day = std::chrono::floor<std::chrono::days>(season.start);
    EXPECT_EQ(Instant{day}, season.start) << season.name << ": at midnight";
    EXPECT_EQ(std::chrono::weekday{day}, std::chrono::Monday) << season.name;
    EXPECT_EQ(static_cast<unsigned>(std::chrono::year_month_day{day}.month()), months.at(season.name));
  }
  EXPECT_EQ(SeasonsFor(Size::kQuick).size(), 1U);
}

TEST(DesignLaw, ClustersHave64GpusAndQuickOnes16) {
  for (const Size size : {Size::kQuick, Size::kUsual, Size::kFull}) {
    const Case one = BaseCase("t", "coal", SeasonsFor(size).front(), kDemands[1], size);
    int gpus = 0;
    for (const auto& group : one.recipe.hardware) gpus += group.nodes * group.gpus_per_node;
    EXPECT_EQ(gpus, size == Size::kQuick ? 16 : 64);
    EXPECT_EQ(one.recipe.slots, size == Size::kQuick ? 48U : 168U);
    EXPECT_EQ(one.recipe.slack, kDemands[1].slack);
    EXPECT_EQ(one.recipe.load, kDemands[1].load);
    EXPECT_EQ(one.labels.slack, "loose");
    EXPECT_EQ(one.labels.load, "heavy");
  }
}

TEST(DesignLaw, TheFullCaRmDesignMeetsEveryCombinationOnce) {
  const StudyPlaces world = BuiltInWorld();
  const auto cases = CaRmStudy().design(world, Size::kFull);
  std::set<std::string> met;
  for (const Case& one : cases) {
    const Labels& l = one.labels;
    met.insert(l.place + "|" + l.season + "|" + l.supply + "|" + l.slack + "|" + l.load);
  }
  EXPECT_EQ(met.size(), cases.size());
  EXPECT_EQ(cases.size(), world.places.size() * 4 * 3 * 4);
}

TEST(DesignLaw, LabelsSayWhatTheRecipeHolds) {
  const std::map<std::string, workload::OnSite> supplies{{"none", workload::OnSite::kNone},
                                                         {"solar", workload::OnSite::kSolar},
                                                         {"wind", workload::OnSite::kWind},
                                                         {"mixed", workload::OnSite::kMixed}};
  const StudyPlaces world = BuiltInWorld();
  for (const Study& study : Studies()) {
    for (const Case& one : study.design(world, Size::kUsual)) {
      EXPECT_EQ(one.labels.study, study.id);
      EXPECT_TRUE(world.Find(one.labels.place).has_value()) << one.labels.place;
      EXPECT_FALSE(one.entries.empty()) << study.id;
      if (one.labels.variant != "renewable-share 0") {
        EXPECT_EQ(one.recipe.on_site, supplies.at(one.labels.supply)) << study.id << " " << one.labels.variant;
      }
      std::set<std::string> entries;
      for (const Entrant& entry : one.entries) {
        EXPECT_TRUE(entries.insert(entry.policy + NameOf(entry.sight)).second) << study.id << " " << entry.policy;
      }
    }
  }
}

TEST(DesignLaw, LimitCasesHaveABoundAndDeadlinesForAll) {
  for (const Size size : {Size::kQuick, Size::kUsual}) {
    const auto cases = LimitStudy().design(BuiltInWorld(), size);
    ASSERT_FALSE(cases.empty());
    for (const Case& one : cases) {
      EXPECT_TRUE(one.with_bound);
      EXPECT_EQ(one.recipe.best_effort, 0.0);
      EXPECT_EQ(one.entries, cases.front().entries) << "every case has the same sights";
    }
  }
}

TEST(DesignLaw, ASensitivityCaseDiffersFromTheOthersOfItsPlaceInOneThing) {
  std::map<std::string, std::set<std::string>> variants;
  for (const Case& one : SensitivityStudy().design(BuiltInWorld(), Size::kUsual)) {
    variants[one.labels.place].insert(one.labels.variant);
    const bool varies_pue = one.labels.variant.starts_with("pue");
    const bool varies_slack = one.labels.variant.starts_with("slack");
    const bool varies_wake = one.labels.variant.starts_with("wake-cost");
    if (!varies_pue) EXPECT_EQ(one.recipe.pue, workload::ScenarioRecipe{}.pue) << one.labels.variant;
    if (!varies_slack) EXPECT_EQ(one.recipe.slack, 2.5) << one.labels.variant;
    if (!varies_wake) EXPECT_EQ(one.wake_cost, 1.0) << one.labels.variant;
  }
  EXPECT_EQ(variants.size(), 4U);
  for (const auto& [place, met] : variants) EXPECT_EQ(met.size(), 17U) << place;
}

TEST(CeDlaDesignTest, LeavesOutPlacesWithoutAPriceWhereDataAreReal) {
  StudyPlaces world = BuiltInWorld();
  const std::size_t all = CeDlaStudy().design(world, Size::kUsual).size();
  EXPECT_EQ(all, world.places.size() * 4);
  world.is_real = true;
  EXPECT_TRUE(CeDlaStudy().design(world, Size::kUsual).empty());
  world.places[3].price = signal::Signal{"p", {}, *signal::StepSeries::Make(Instant{}, Duration{3600}, {1.0})};
  for (const Case& one : CeDlaStudy().design(world, Size::kUsual)) EXPECT_EQ(one.labels.place, world.places[3].name);
}

TEST(WorkTest, UndoneWorkIsNotFree) {
  CaseScore score;
  score.figures.carbon_kg = 30.0;
  score.figures.cost = 12.0;
  score.figures.performance = 4.0;
  EXPECT_DOUBLE_EQ(CarbonPerWork(score), 7.5);
  EXPECT_DOUBLE_EQ(CostPerWork(score), 3.0);
  score.figures.performance = 0.0;
  EXPECT_EQ(CarbonPerWork(score), 0.0);
  EXPECT_EQ(CostPerWork(score), 0.0);
}

TEST(PercentTest, KeepsItsDigits) {
  EXPECT_EQ(Percent(0.1234), "12.3 %");
  EXPECT_EQ(Percent(-0.004), "-0.4 %");
  EXPECT_EQ(Percent(0.01234, 2), "1.23 %");
  EXPECT_EQ(PercentSpread({0.1, 0.2, 0.3}), "20.0 % (12 .. 28)");
  EXPECT_EQ(PercentSpread({}), "0.0 % (0 .. 0)");
}

TEST(KeepingLaw, SharesAreOfAllJobsAndRequestsTogether) {
  CaseScore few;
  few.figures.jobs_total = 10;
  few.figures.jobs_completed = 5;
  few.figures.deadline_misses = 4;
  few.figures.requests_total = 100.0;
  few.figures.slo_violation_fraction = 0.5;
  CaseScore many;
  many.figures.jobs_total = 90;
  many.figures.jobs_completed = 90;
  many.figures.requests_total = 900.0;
  const Keeping both = KeepingOf({&few, &many});
  EXPECT_DOUBLE_EQ(both.misses, 0.04);
  EXPECT_DOUBLE_EQ(both.undone, 0.05);
  EXPECT_DOUBLE_EQ(both.violations, 0.05);
  const Keeping none = KeepingOf({});
  EXPECT_EQ(none.misses + none.undone + none.violations, 0.0);
  const io::Json json = ToJson(both);
  EXPECT_DOUBLE_EQ(*json.Find("deadline_miss_share")->Number(), both.misses);
  EXPECT_DOUBLE_EQ(*json.Find("undone_share")->Number(), both.undone);
  EXPECT_DOUBLE_EQ(*json.Find("slo_violation_share")->Number(), both.violations);
}

TEST(WorldTest, BuiltInPlacesAreFoundByNameAndOthersRefusedWithANearOne) {
  const StudyPlaces world = BuiltInWorld();
  EXPECT_EQ(world.places.size(), 9U);
  EXPECT_FALSE(world.is_real);
  for (const Place& place : world.places) EXPECT_EQ((*world.Find(place.name))->zone, place.name);
  const auto wrong = world.Find("wind-hevy");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(wrong.error().Line(), HasSubstr("wind-heavy"));
}

TEST(WorldTest, RealDataThatAreNotThereAreNamed) {
  const auto world = RealWorld("/nowhere");
  ASSERT_FALSE(world);
  EXPECT_THAT(world.error().Line(), HasSubstr("em_2023_2024_lca.csv"));
}

}  // namespace
}  // namespace heliostat::experiments
