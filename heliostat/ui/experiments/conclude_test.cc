#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "heliostat/base/core/random.h"
#include "heliostat/ui/experiments/design.h"
#include "heliostat/ui/experiments/finding.h"
#include "heliostat/ui/experiments/page.h"
#include "heliostat/ui/experiments/statistics.h"
#include "heliostat/ui/report/xml_check.h"

namespace heliostat::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Outcomes of any numbers, the same for the same seed.
std::vector<CaseOutcome> AnyOutcomes(const std::vector<Case>& cases, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<CaseOutcome> outcomes;
  for (const Case& one : cases) {
    CaseOutcome& outcome = outcomes.emplace_back();
    for (const Entrant& entry : one.entries) {
      CaseScore score{entry, {}, random.Uniform(0.0, 0.4)};
      score.figures.carbon_kg = random.Uniform(10.0, 100.0);
      score.figures.cost = random.Uniform(5.0, 50.0);
      score.figures.performance = random.Uniform(5.0, 10.0);
      score.figures.jobs_total = 40;
      score.figures.jobs_completed = 30 + random.Below(11);
      score.figures.deadline_misses = random.Below(5);
      score.figures.requests_total = random.Uniform(1e5, 1e6);
      score.figures.slo_violation_fraction = random.Uniform(0.0, 0.01);
      if (entry.sight.kind == Sight::Kind::kPerfect) score.own_plan_kg = random.Uniform(10.0, 100.0);
      outcome.scores.push_back(score);
    }
    outcome.bound.carbon_kg = random.Uniform(5.0, 9.0);
    outcome.bound.planned_carbon_kg = random.Uniform(9.0, 10.0);
  }
  return outcomes;
}

struct Made {
  std::vector<Case> cases;
  std::vector<CaseOutcome> outcomes;
  Finding finding;
};

Made Concluded(const Study& study, std::uint64_t seed, Size size = Size::kUsual) {
  Made made;
  const StudyPlaces world = BuiltInWorld();
  made.cases = study.design(world, size);
  made.outcomes = AnyOutcomes(made.cases, seed);
  auto finding = study.conclude(world, made.cases, made.outcomes, size);
  EXPECT_TRUE(finding) << finding.error().Line();
  if (finding) made.finding = *std::move(finding);
  return made;
}

double NumberAt(const io::Json& json, const std::string& key) { return *json.Find(key)->Number(); }
const io::Json::Array& ListAt(const io::Json& json, const std::string& key) { return **json.Find(key)->Elements(); }

TEST(CaRmLaw, EverySavingIsRecomputedFromTheOutcomes) {
  const Made made = Concluded(CaRmStudy(), 1);
  for (const char* block : {"as_published", "with_sleep"}) {
    const auto& rows = ListAt(*made.finding.json.Find(block), "savings");
    EXPECT_EQ(rows.size(), 9U * 3U);
    std::vector<double> means;
    for (const io::Json& row : rows) {
      std::vector<double> savings;
      for (const CaseOutcome& outcome : made.outcomes) {
        const double ours = CarbonPerWork(*outcome.Find(*row.Find("policy")->Text()));
        savings.push_back(1.0 - ours / CarbonPerWork(*outcome.Find(*row.Find("against")->Text())));
      }
      const Spread spread = SpreadOf(savings);
      EXPECT_NEAR(NumberAt(row, "mean_saving"), spread.mean, 1e-12);
      EXPECT_NEAR(NumberAt(row, "p10_saving"), spread.low, 1e-12);
      EXPECT_NEAR(NumberAt(row, "p90_saving"), spread.high, 1e-12);
      EXPECT_NEAR(NumberAt(row, "worst_saving"), spread.least, 1e-12);
      means.push_back(spread.mean);
    }
    EXPECT_NEAR(NumberAt(*made.finding.json.Find(block), "mean_saving"), MeanOf(means), 1e-12) << block;
  }
}

TEST(CaRmLaw, TheCasesOfALevelsOfAFactorAddUpToAll) {
  const Made made = Concluded(CaRmStudy(), 2);
  const report::HtmlTable& table = *made.finding.passages.back().table;
  std::map<std::string, std::size_t> cases_of_factor;
  for (const auto& row : table.rows) cases_of_factor[row[0]] += std::stoul(row[2]);
  EXPECT_EQ(cases_of_factor.size(), 5U);
  for (const auto& [factor, count] : cases_of_factor) EXPECT_EQ(count, made.cases.size()) << factor;
}

TEST(CaRmLaw, ComparisonsThatFallShortAreCounted) {
  const Made made = Concluded(CaRmStudy(), 3);
  std::size_t below = 0;
  std::size_t negative = 0;
  std::size_t all = 0;
  const auto& rows = ListAt(*made.finding.json.Find("as_published"), "savings");
  for (const io::Json& row : rows) {
    if (*row.Find("policy")->Text() != "ca-rm-performance") continue;
    for (const CaseOutcome& outcome : made.outcomes) {
      const double saving = 1.0 - CarbonPerWork(*outcome.Find("ca-rm-performance")) /
                                      CarbonPerWork(*outcome.Find(*row.Find("against")->Text()));
      below += saving < 0.35 ? 1 : 0;
      negative += saving < 0.0 ? 1 : 0;
      ++all;
    }
  }
  EXPECT_THAT(made.finding.passages.back().text,
              HasSubstr("saves less than 35 % in " + std::to_string(below) + " of " + std::to_string(all) +
                        " comparisons and emits more in " + std::to_string(negative) + ";"));
}

TEST(CeDlaLaw, CostsOfAMarketAreSumsOverItsSeasons) {
  const Made made = Concluded(CeDlaStudy(), 4);
  for (const io::Json& row : ListAt(made.finding.json, "policies")) {
    const std::string policy = *row.Find("policy")->Text();
    std::vector<double> relative;
    for (const Place& place : BuiltInWorld().places) {
      double ours = 0.0;
      double base = 0.0;
      for (std::size_t i = 0; i < made.cases.size(); ++i) {
        if (made.cases[i].labels.place != place.name) continue;
        const CaseScore& run_now = *made.outcomes[i].Find("run-now");
        ours += CostPerWork(*made.outcomes[i].Find(policy)) * run_now.figures.performance;
        base += run_now.figures.cost;
      }
      relative.push_back(ours / base);
      EXPECT_NEAR(NumberAt(*row.Find("by_market"), place.name), ours / base, 1e-12) << policy << " " << place.name;
    }
    EXPECT_NEAR(NumberAt(row, "cost_relative_to_run_now"), MeanOf(relative), 1e-12) << policy;
    if (policy == "run-now") EXPECT_NEAR(NumberAt(row, "cost_relative_to_run_now"), 1.0, 1e-12);
  }
}

TEST(CeDlaTest, AMarketWithoutCostHasNoRatio) {
  const StudyPlaces world = BuiltInWorld();
  const auto cases = CeDlaStudy().design(world, Size::kUsual);
  auto outcomes = AnyOutcomes(cases, 5);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].labels.place != "hydro") continue;
    for (CaseScore& score : outcomes[i].scores) score.figures.cost = 0.0;
  }
  const auto finding = CeDlaStudy().conclude(world, cases, outcomes, Size::kUsual);
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->json.Dump(), Not(HasSubstr("null"))) << "a ratio to nothing is no number";
  for (const io::Json& row : ListAt(finding->json, "policies")) {
    EXPECT_EQ(row.Find("by_market")->Find("hydro"), nullptr);
    EXPECT_NE(row.Find("by_market")->Find("coal"), nullptr);
  }
  for (const auto& row : finding->passages[0].table->rows) EXPECT_EQ(row[4], "–") << "the fourth place is hydro";
}

TEST(LimitLaw, DistancesAreRecomputedFromTheOutcomes) {
  const Made made = Concluded(LimitStudy(), 6);
  const auto& rows = ListAt(made.finding.json, "distances");
  ASSERT_EQ(rows.size(), made.cases.front().entries.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Entrant& entry = made.cases.front().entries[r];
    EXPECT_EQ(*rows[r].Find("policy")->Text(), entry.policy);
    EXPECT_EQ(*rows[r].Find("sight")->Text(), NameOf(entry.sight));
    std::vector<double> to_own_plan;
    std::vector<double> to_afresh;
    std::vector<double> to_plan;
    std::vector<double> to_bound;
    std::vector<const CaseScore*> scores;
    for (const CaseOutcome& outcome : made.outcomes) {
      const CaseScore* const score = outcome.Find(entry.policy, entry.sight);
      scores.push_back(score);
      const CaseScore* const afresh = outcome.Find("ca-rm-performance+afresh", {Sight::Kind::kSignals, 0.0});
      ASSERT_NE(afresh, nullptr);
      to_afresh.push_back(score->figures.carbon_kg / afresh->figures.carbon_kg - 1.0);
      if (score->own_plan_kg) to_own_plan.push_back(score->figures.carbon_kg / *score->own_plan_kg - 1.0);
      to_plan.push_back(score->figures.carbon_kg / *outcome.bound.planned_carbon_kg - 1.0);
      to_bound.push_back(score->figures.carbon_kg / outcome.bound.carbon_kg - 1.0);
    }
    EXPECT_NEAR(NumberAt(*rows[r].Find("above_afresh"), "mean"), MeanOf(to_afresh), 1e-12);
    ASSERT_EQ(rows[r].Find("above_own_plan") != nullptr, entry.sight.kind == Sight::Kind::kPerfect);
    if (!to_own_plan.empty()) {
      EXPECT_NEAR(NumberAt(*rows[r].Find("above_own_plan"), "worst"), SpreadOf(to_own_plan).most, 1e-12);
    }
    EXPECT_NEAR(NumberAt(*rows[r].Find("above_plan"), "mean"), MeanOf(to_plan), 1e-12);
    EXPECT_NEAR(NumberAt(*rows[r].Find("above_plan"), "worst"), SpreadOf(to_plan).most, 1e-12);
    EXPECT_NEAR(NumberAt(*rows[r].Find("above_bound"), "mean"), MeanOf(to_bound), 1e-12);
    EXPECT_NEAR(NumberAt(*rows[r].Find("keeps"), "deadline_miss_share"), KeepingOf(scores).misses, 1e-12);
    if (entry.sight.kind == Sight::Kind::kSignals && entry.policy == "ca-rm-performance") {
      EXPECT_NEAR(NumberAt(*rows[r].Find("above_signals"), "worst"), 0.0, 1e-12) << "no distance to itself";
    }
  }
}

TEST(LimitTest, AWeekInWhichTheSunCoversEverythingHasNoRatio) {
  const StudyPlaces world = BuiltInWorld();
  const auto cases = LimitStudy().design(world, Size::kUsual);
  auto outcomes = AnyOutcomes(cases, 7);
  outcomes[0].bound.carbon_kg = 0.0;
  outcomes[0].bound.planned_carbon_kg = 0.0;
  outcomes[1].bound.planned_carbon_kg.reset();
  const auto finding = LimitStudy().conclude(world, cases, outcomes, Size::kUsual);
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->json.Dump(), Not(HasSubstr("null")));
  EXPECT_THAT(finding->verdict, Not(HasSubstr("inf %")));
  EXPECT_THAT(finding->verdict, Not(HasSubstr("nan")));
}

TEST(SensitivityLaw, LevelsAreRecomputedFromTheOutcomes) {
  const Made made = Concluded(SensitivityStudy(), 8);
  const auto& rows = ListAt(made.finding.json, "levels");
  EXPECT_EQ(rows.size(), 17U);
  EXPECT_EQ(rows.size(), made.finding.passages[0].table->rows.size());
  std::size_t met = 0;
  for (const io::Json& row : rows) {
    std::vector<double> plain;
    std::vector<double> sleep;
    for (std::size_t i = 0; i < made.cases.size(); ++i) {
      if (made.cases[i].labels.variant != fmt::format("{} {:g}", *row.Find("factor")->Text(), NumberAt(row, "level"))) {
        continue;
      }
      const auto& scores = made.outcomes[i].scores;
      plain.push_back(1.0 - CarbonPerWork(scores[2]) / CarbonPerWork(scores[0]));
      sleep.push_back(1.0 - CarbonPerWork(scores[2]) / CarbonPerWork(scores[1]));
      ++met;
    }
    EXPECT_NEAR(NumberAt(row, "saving_against_run_now"), MeanOf(plain), 1e-12);
    EXPECT_NEAR(NumberAt(row, "saving_against_run_now_sleep"), MeanOf(sleep), 1e-12);
  }
  EXPECT_EQ(met, made.cases.size()) << "every case is in one row";
}

TEST(FindingLaw, TheSameOutcomesGiveTheSameFindingAndAllSizesConclude) {
  for (const Study& study : Studies()) {
    for (const Size size : {Size::kQuick, Size::kUsual}) {
      const Made once = Concluded(study, 9, size);
      const Made again = Concluded(study, 9, size);
      EXPECT_EQ(once.finding.id, study.id);
      EXPECT_EQ(once.finding.json.Dump(), again.finding.json.Dump());
      EXPECT_EQ(MarkdownPage({once.finding}, {}), MarkdownPage({again.finding}, {}));
      EXPECT_THAT(once.finding.json.Dump(), Not(HasSubstr("null"))) << study.id;
      EXPECT_THAT(once.finding.verdict, Not(HasSubstr("nan"))) << study.id;
    }
  }
}

TEST(FindingLaw, ColumnsOfEveryTableAreNamedOnce) {
  for (const Study& study : Studies()) {
    const Made made = Concluded(study, 10);
    for (const Passage& passage : made.finding.passages) {
      if (!passage.table) continue;
      const std::set<std::string> names(passage.table->header.begin(), passage.table->header.end());
      EXPECT_EQ(names.size(), passage.table->header.size()) << passage.heading;
      EXPECT_FALSE(passage.table->rows.empty()) << passage.heading;
    }
  }
}

Finding Awkward() {
  Finding finding{"odd", "A < B & C", "more | less", {}, {}};
  report::HtmlTable table{{"name", "a|b"}, {{"x|y", "1"}, {"<i>", "2"}}};
  finding.passages.push_back(
      {"One", "first\n\nsecond", table, {{"chart", "<svg/>", [](double) -> Result<std::string> { return "<svg/>"; }}}});
  finding.passages.push_back({"Two", "", std::nullopt, {}});
  return finding;
}

TEST(JudgingTest, TheTinyDesignNeverSaysReached) {
  for (const Study& study : Studies()) {
    const Made made = Concluded(study, 7, Size::kQuick);
    const std::string page = *HtmlPage({made.finding}, {"about"}, {});
    EXPECT_THAT(page, Not(HasSubstr("reached"))) << study.id;
    EXPECT_THAT(made.finding.answer.sentence, HasSubstr("Nothing is judged")) << study.id;
    EXPECT_THAT(Concluded(study, 7).finding.answer.sentence, Not(HasSubstr("judged"))) << study.id;
  }
}

TEST(PageTest, MarkdownTablesHaveAsManyBarsInEveryLine) {
  const std::string page = MarkdownPage({Awkward()}, {"about"}, "Title");
  EXPECT_TRUE(page.starts_with("# Title\n\nabout\n\n## A < B & C\n\n**more | less**\n"));
  EXPECT_THAT(page, HasSubstr("| name | a\\|b |\n|---|---:|\n| x\\|y | 1 |\n| <i> | 2 |\n"));
  EXPECT_THAT(page, HasSubstr("### Two\n"));
  EXPECT_THAT(page, HasSubstr("![One](chart.svg)"));
}

TEST(PageTest, HtmlIsWellFormedWhateverTheTextsHold) {
  const std::string page = *HtmlPage({Awkward(), Awkward()}, {"<about>", "a & b"}, {}, "T & T");
  EXPECT_EQ(report::XmlCheck::Problem(page), "");
  EXPECT_THAT(page, HasSubstr("A &lt; B &amp; C"));
  EXPECT_THAT(page, HasSubstr("<p>first</p>\n<p>second</p>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"#odd\">"));
  EXPECT_EQ(report::XmlCheck::Problem(*HtmlPage({}, {}, {})), "") << "also of nothing";
}

}  // namespace
}  // namespace heliostat::experiments
