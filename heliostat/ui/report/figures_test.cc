#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "heliostat/node/ledger/testing/plausible_run.h"
#include "heliostat/planning/plan/testing/small_scenario.h"
#include "heliostat/ui/report/plan_charts.h"
#include "heliostat/ui/report/plan_tables.h"
#include "heliostat/ui/report/run_text.h"
#include "heliostat/ui/report/xml_check.h"
#include "heliostat/ui/report/zone_year.h"

namespace heliostat::report {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// The small scenario: its first job in two pieces, the second too late, the third never; the service where it is asked.
struct Small {
  Small() : scenario(plan::testing::SmallScenario()), plan(plan::EmptyPlan(scenario)) {
    using plan::testing::At;
    plan.jobs[0].segments = {{{At(0.25), At(1)}, 0, 2}, {{At(1.5), At(2.5)}, 0, 3}};
    plan.jobs[1].segments = {{{At(4), At(4.5)}, 1, 1}};
    for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
      if (scenario.services[0].requests_per_s[slot] > 0) {
        plan.services[0].slots[slot] = plan::testing::Serve(scenario, 0, slot, 0, 1, 3);
      }
    }
    plan.nodes_on = {{3, 3, 3, 1, 2, 2}, {0, 0, 0, 0, 1, 1}};
    score = plan::ScoreOf(scenario, plan);
    figures = FiguresOf(scenario, plan, score);
    answer = {"min-carbon", "price", 0.5, plan::OutcomeWith({plan, score}, score.carbon_kg(), score.carbon_kg(), 1e-3)};
  }
  PlanView view() const { return {scenario, answer, figures}; }

  scenario::Scenario scenario;
  plan::Plan plan;
  plan::Score score;
  PlanFigures figures;
  plan::PlanAnswer answer;
};

TEST(PlanFiguresLaw, PowerByUseIsNeverNegativeAndAddsUpInEverySlot) {
  const Small small;
  double kwh = 0;
  for (std::size_t slot = 0; slot < small.scenario.slots; ++slot) {
    EXPECT_GE(small.figures.standing_kw[slot], 0) << slot;
    EXPECT_NEAR(small.figures.training_kw[slot] + small.figures.serving_kw[slot] + small.figures.standing_kw[slot],
                small.figures.facility_kw[slot], 1e-9)
        << slot;
    kwh += small.figures.facility_kw[slot];
  }
  EXPECT_NEAR(kwh, InKilowattHours(small.score.total.facility), 1e-9);
  const double there = std::accumulate(small.figures.renewable_kw.begin(), small.figures.renewable_kw.end(), 0.0);
  EXPECT_NEAR(there, small.figures.renewable_kwh, 1e-9);
  EXPECT_LE(InKilowattHours(small.score.total.renewable_used), small.figures.renewable_kwh + 1e-9);
}

TEST(PlanFiguresLaw, EnergyOfTheJobsIsTheTrainingPowerOverTime) {
  const Small small;
  Joules jobs;
  for (const auto& job : small.figures.jobs) jobs += job.energy;
  const double training = std::accumulate(small.figures.training_kw.begin(), small.figures.training_kw.end(), 0.0);
  EXPECT_NEAR(training, small.scenario.pue * InKilowattHours(jobs), 1e-9);
}

TEST(PlanFiguresTest, SaysWhatBecameOfEachJob) {
  const Small small;
  const auto& [tight, loose, whenever] = std::tie(small.figures.jobs[0], small.figures.jobs[1], small.figures.jobs[2]);
  EXPECT_EQ(tight.begin, plan::testing::At(0.25));
  EXPECT_EQ(tight.starts, 2);
  EXPECT_EQ(tight.most_workers, 4);
  EXPECT_GT(tight.done_share, 0.0);
  EXPECT_FALSE(loose.finish.has_value());
  EXPECT_LT(loose.done_share, 1.0);
  EXPECT_TRUE(loose.is_late(small.scenario.jobs[1]));
  EXPECT_FALSE(whenever.begin.has_value());
  EXPECT_EQ(whenever.done_share, 0.0);
  EXPECT_FALSE(whenever.is_late(small.scenario.jobs[2])) << "nothing asks for it";
}

TEST(PlanTablesLaw, NumbersPrintedAreThoseOfThePlan) {
  const Small small;
  const HtmlTable headline = HeadlineTable(small.view());
  const auto row = [&](const std::string& name) {
    const auto found = std::ranges::find_if(headline.rows, [&](const auto& cells) { return cells[0] == name; });
    return found == headline.rows.end() ? std::string() : (*found)[1];
  };
  const auto number = [&](const std::string& name) { return std::strtod(row(name).c_str(), nullptr); };
  EXPECT_NEAR(number("carbon"), small.score.carbon_kg(), 1e-3 * small.score.carbon_kg());
  EXPECT_NEAR(number("cost"), small.score.total.cost, 1e-3 * std::abs(small.score.total.cost));
  EXPECT_NEAR(number("energy"), InKilowattHours(small.score.total.facility), 1e-3 * number("energy"));
  EXPECT_NEAR(number("performance"), small.score.performance, 1e-3 * small.score.performance);
  EXPECT_THAT(row("status"), HasSubstr("proven, no plan is better"));
  EXPECT_THAT(row("renewable"), HasSubstr("kWh that were available"));
}

TEST(PlanTablesLaw, EveryGroupServiceAndJobHasARowAsWideAsTheHeader) {
  const Small small;
  const PlanView view = small.view();
  EXPECT_EQ(GroupTable(view).rows.size(), 2U);
  EXPECT_EQ(ServiceTable(view).rows.size(), 1U);
  EXPECT_EQ(JobTable(view, 10).rows.size(), 3U);
  EXPECT_EQ(JobTable(view, 2).rows.size(), 2U);
  for (const HtmlTable& table : {HeadlineTable(view), GroupTable(view), ServiceTable(view), JobTable(view, 10)}) {
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size());
  }
  EXPECT_EQ(GroupTable(view).rows[0][3], "2.3") << "mean of 3, 3, 3, 1, 2 and 2";
  EXPECT_EQ(GroupTable(view).rows[0][5], "1");
  EXPECT_EQ(JobTable(view, 10).rows[1][4], "late");
  EXPECT_EQ(JobTable(view, 10).rows[2][2], "-");
}

TEST(PlanChartsTest, EveryPictureOfAPlanIsWellFormed) {
  const Small small;
  const PlanView view = small.view();
  std::vector<ChartMaker> charts{AtAnyWidth(PowerChart(view)), AtAnyWidth(NodesChart(view)),
                                 AtAnyWidth(JobsChart(view, 10, 10))};
  for (const auto& more : {SignalCharts(view), ServiceCharts(view, 0)}) {
    for (const LineChart& chart : more) charts.push_back(AtAnyWidth(chart));
  }
  for (const ChartMaker& chart : charts) {
    for (const double width : {880.0, 356.0}) {
      const auto svg = chart(width);
      ASSERT_TRUE(svg) << svg.error().Line();
      EXPECT_EQ(XmlCheck::Problem(*svg), "");
      EXPECT_EQ(svg->find("nan"), std::string::npos);
    }
  }
}

TEST(UnitTest, EveryObjectiveHasOne) {
  const scenario::Scenario scenario = plan::testing::SmallScenario();
  EXPECT_EQ(UnitOf(plan::Objective::kMinCarbon, scenario), "kg CO2e");
  EXPECT_EQ(UnitOf(plan::Objective::kMinCost, scenario), scenario.currency.code());
  EXPECT_EQ(UnitOf(plan::Objective::kMinEnergy, scenario), "kWh");
  EXPECT_EQ(UnitOf(plan::Objective::kMaxPerformance, scenario), PerformanceUnit(scenario));
  EXPECT_EQ(UnitOf(plan::Objective::kMaxPpc, scenario), "per kg CO2e");
}

TEST(ZoneYearTest, TheSampleWeekBeginsOnTheTenthOfAprilInEveryYear) {
  for (const int year : {2023, 2024}) {
    const Instant january = std::chrono::sys_days{std::chrono::year{year} / 1 / 1};
    const auto week = SampleWeek(*signal::StepSeries::Make(january, 1h, std::vector<double>(365 * 24, 1.0)));
    ASSERT_TRUE(week);
    EXPECT_EQ(week->start(), Instant{std::chrono::sys_days{std::chrono::year{year} / 4 / 10}}) << year;
    EXPECT_EQ(week->size(), 7U * 24U);
  }
}

RC_GTEST_PROP(ZoneYearLaw, ADaysShapeIsOrderedAndWeighsUpToTheMean, ()) {
  const auto raw = *rc::gen::container<std::vector<int>>(24 * 6, rc::gen::inRange(-500, 1000));
  const std::vector<double> values(raw.begin(), raw.end());
  const int offset = *rc::gen::inRange(-12, 13);
  const DayShape shape = DayShapeOf(*signal::StepSeries::Make(Instant{}, 1h, values), offset);
  for (std::size_t hour = 0; hour < 24; ++hour) RC_ASSERT(shape.low[hour] <= shape.high[hour]);
  const double of_shape = std::accumulate(shape.mean.begin(), shape.mean.end(), 0.0) / 24;
  const YearSpread spread = SpreadOf(values);
  RC_ASSERT(std::abs(of_shape - spread.mean) < 1e-9);
  RC_ASSERT(spread.lowest <= spread.percentile_5 && spread.percentile_5 <= spread.median);
  RC_ASSERT(spread.median <= spread.percentile_95 && spread.percentile_95 <= spread.highest);
  const auto below = std::ranges::count_if(values, [](double v) { return v < 0; });
  RC_ASSERT(spread.negative == static_cast<double>(below) / static_cast<double>(values.size()));
}

TEST(RunTextLaw, TablesOfAnyRunAreWholeAndShowTheLastDecisions) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ledger::Run run = ledger::PlausibleRun(seed);
    const ledger::Bill bill = ledger::BillOf(run);
    const HtmlTable table = BillTable(run, bill);
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size()) << seed;
    EXPECT_EQ(table.rows.size(), run.begin.currency ? 8U : 6U) << seed;
    EXPECT_NEAR(std::strtod(table.rows[0][1].c_str(), nullptr), InKilowattHours(bill.run.energy),
                1e-3 * InKilowattHours(bill.run.energy))
        << seed;
    const HtmlTable decisions = DecisionTable(run, 5);
    EXPECT_LE(decisions.rows.size(), 5U) << seed;
    for (const auto& row : decisions.rows) EXPECT_EQ(row.size(), decisions.header.size()) << seed;
    const auto plot = RunPlot(run, {.width = 90, .is_utf8 = false});
    ASSERT_TRUE(plot) << seed;
    EXPECT_EQ(plot->find("nan"), std::string::npos) << seed;
  }
  ledger::Run empty = ledger::PlausibleRun(1);
  empty.periods.clear();
  EXPECT_FALSE(RunPlot(empty, {}));
}

}  // namespace
}  // namespace heliostat::report
