#include "heliostat/ui/report/plan_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "heliostat/ui/report/plan_charts.h"
#include "heliostat/ui/report/xml_check.h"

namespace heliostat::report {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kHours = 24;
const Instant kStart{std::chrono::days{19500}};

int Count(std::string_view text, std::string_view part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

scenario::Scenario Day(std::size_t jobs, std::size_t services) {
  scenario::Scenario day;
  day.name = "a <day>";
  day.start = kStart;
  day.slots = kHours;
  day.pue = 1.25;
  day.carbon.assign(kHours, GramsPerKwh(400));
  day.renewable.assign(kHours, Kilowatts(0.5));
  day.price_per_kwh.assign(kHours, 0.2);
  day.groups = {{"g&1", "A40", 50, 8, Watts{20}, Watts{300}, Watts{10}, 5min, KilowattHours(0.02)}};
  day.training.Add("m", "A40", {{std::nullopt, 200.0}, 1, 10.0, Watts{180}});
  day.training.Add("m", "A40", {{std::nullopt, 250.0}, 2, 18.0, Watts{400}});
  day.inference.Add("s", "A40", {{1200.0, std::nullopt}, 1, Seconds{0.02}, 50.0, Watts{120}});
  for (std::size_t i = 0; i < jobs; ++i) {
    day.jobs.push_back({fmt::format("<j{}>", i), "m", kStart, kStart + 10h, 36000.0, 1, 2, true, 0s});
  }
  for (std::size_t i = 0; i < services; ++i) {
    day.services.push_back({fmt::format("s\"{}", i), "s", Seconds{0.1}, 0.99, std::vector<double>(kHours, 20.0), 1, 4});
  }
  return day;
}

// Every job runs half an hour into its window, an hour with one worker; every service has a replica.
plan::Plan PlanFor(const scenario::Scenario& day) {
  plan::Plan plan;
  for (std::size_t i = 0; i < day.jobs.size(); ++i) plan.jobs.push_back({{{{kStart + 30min, kStart + 90min}, 0, 0}}});
  for (std::size_t i = 0; i < day.services.size(); ++i) {
    plan.services.push_back({std::vector<plan::ServiceSlot>(kHours, {0, 0, 1, 0.4, Seconds{0.03}})});
  }
  plan.nodes_on = {std::vector<int>(kHours, day.groups[0].nodes)};
  return plan;
}

struct Made {
  explicit Made(scenario::Scenario s) : scenario(std::move(s)), plan(PlanFor(scenario)) { Settle(); }
  void Settle() {
    const plan::Score score = ScoreOf(scenario, plan);
    figures = FiguresOf(scenario, plan, score);
    answer = {"min-carbon", "price", 1.5,
              plan::OutcomeWith({plan, score}, score.carbon_kg(), score.carbon_kg() * 0.999, 2e-3)};
  }
  PlanView view() const { return {scenario, answer, figures}; }
  std::string Page() const {
    const PlanView shown = view();
    return *Render(PlanPage{scenario.name, "", {"It saves."}, {}, &shown, std::nullopt, {}});
  }

  scenario::Scenario scenario;
  plan::Plan plan;
  PlanFigures figures;
  plan::PlanAnswer answer;
};

TEST(PlanFiguresTest, PowerByUseAddsUpToWhatTheFacilityDraws) {
  Made made(Day(3, 2));
  made.plan.jobs[1].segments = {{{kStart + 59min, kStart + 181min}, 0, 1}, {{kStart + 200min, kStart + 7h}, 0, 0}};
  made.Settle();
  const PlanFigures& figures = made.figures;
  double energy = 0.0;
  for (std::size_t slot = 0; slot < kHours; ++slot) {
    const double sum = figures.training_kw[slot] + figures.serving_kw[slot] + figures.standing_kw[slot];
    EXPECT_NEAR(sum, figures.facility_kw[slot], 1e-9) << slot;
    EXPECT_NEAR(figures.serving_kw[slot], 2 * 1.25 * 0.060, 1e-9) << "20 W idle and 0.4 of the 100 W above it";
    energy += figures.facility_kw[slot];
  }
  EXPECT_NEAR(energy, InKilowattHours(made.answer.outcome.score().total.facility), 1e-6);
  Joules of_jobs;
  for (const auto& job : figures.jobs) of_jobs += job.energy;
  const double training = std::accumulate(figures.training_kw.begin(), figures.training_kw.end(), 0.0);
  EXPECT_NEAR(training, 1.25 * InKilowattHours(of_jobs), 1e-9);
}

TEST(PlanFiguresTest, StartsCountChangesOfWorkersButNotOfPower) {
  Made made(Day(1, 0));
  made.scenario.training.Add("m", "A40", {{std::nullopt, 150.0}, 1, 8.0, Watts{140}});
  made.plan.jobs[0].segments = {{{kStart, kStart + 10min}, 0, 0},
                                {{kStart + 10min, kStart + 20min}, 0, 2},
                                {{kStart + 20min, kStart + 30min}, 0, 1},
                                {{kStart + 40min, kStart + 2h}, 0, 1}};
  made.Settle();
  EXPECT_EQ(made.figures.jobs[0].starts, 3);
  EXPECT_EQ(made.figures.jobs[0].most_workers, 2);
}

TEST(PlanFiguresTest, WakeUpsByGroupAddUpToThoseOfTheScore) {
  Made made(Day(0, 0));
  for (std::size_t slot = 0; slot < kHours; ++slot) made.plan.nodes_on[0][slot] = static_cast<int>(slot * 7 % 11);
  made.Settle();
  EXPECT_GT(made.answer.outcome.score().wake_ups, 0);
  EXPECT_EQ(made.figures.groups[0].wake_ups, made.answer.outcome.score().wake_ups);
  EXPECT_EQ(made.figures.groups[0].most_on, 10);
}

TEST(PlanFiguresTest, AJobIsLateWhenItsDeadlineComesFirstOrItIsNeverDone) {
  Made made(Day(3, 0));
  made.scenario.jobs[0].deadline = kStart + 89min;
  made.plan.jobs[1].segments.clear();
  made.scenario.jobs[2].deadline.reset();
  made.Settle();
  EXPECT_TRUE(made.figures.jobs[0].is_late(made.scenario.jobs[0]));
  EXPECT_TRUE(made.figures.jobs[1].is_late(made.scenario.jobs[1]));
  EXPECT_FALSE(made.figures.jobs[2].is_late(made.scenario.jobs[2]));
  EXPECT_EQ(made.figures.jobs[0].spare, -1min);
}

TEST(PlanPageTest, IsWellFormedAndKeepsHostileNamesText) {
  const auto page = Made(Day(3, 1)).Page();
  EXPECT_EQ(XmlCheck::Problem(page), "");
  for (const char* text :
       {"a &lt;day&gt;", "&lt;j2&gt;", "s&quot;0", "g&amp;1", "kg CO2e", "no plan is better by more"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  // Power, carbon, price, nodes, jobs; requests, replicas, clock and latency of the service; each wide and narrow.
  EXPECT_EQ(Count(page, "<svg"), 2 * 9);
  EXPECT_EQ(Count(page, "<a href=\"#job-2\">"), 2) << "the bar is a link to the row";
  EXPECT_EQ(Count(page, "<tr id=\"job-2\">"), 1);
  EXPECT_THAT(page, HasSubstr("<summary>All jobs: 3 of 3 on time</summary>"));
  EXPECT_THAT(page, HasSubstr("Tue\u00a023\u00a0May\u00a000:30")) << "times are short and on one line";
}

TEST(PlanPageTest, NothingToDoIsAPageToo) {
  Made made(Day(0, 0));
  made.scenario.price_per_kwh.clear();
  made.scenario.renewable.assign(kHours, Watts{});
  made.Settle();
  const auto page = made.Page();
  EXPECT_EQ(XmlCheck::Problem(page), "");
  EXPECT_EQ(Count(page, "<svg"), 2 * 3);
  EXPECT_THAT(page, Not(HasSubstr("renewable on site")));
  EXPECT_THAT(page, HasSubstr("none on site"));
}

TEST(PlanPageTest, ManyJobsAndServicesAreCutAndThePageSaysSo) {
  const auto page = Made(Day(501, 9)).Page();
  EXPECT_THAT(page, HasSubstr("Of 501 jobs, the 200 that need the most energy are drawn."));
  EXPECT_THAT(page, HasSubstr("The first 500 of 501 jobs."));
  EXPECT_THAT(page, HasSubstr("Of 9 services, the 8 that need the most energy are drawn."));
  EXPECT_EQ(Count(page, "<h3>"), 8);
  EXPECT_THAT(page, Not(HasSubstr("&lt;j500&gt;")));
}

TEST(PlanPageTest, JobsAreDrawnByTheirStartAndTheThirstiestFirst) {
  Made made(Day(3, 0));
  made.plan.jobs[0].segments[0].span = {kStart + 8h, kStart + 9h};
  made.plan.jobs[1].segments[0].span = {kStart + 1h, kStart + 1h + 5min};
  made.plan.jobs[2].segments[0].span = {kStart + 2h, kStart + 3h};
  made.Settle();
  const auto svg = *Render(JobsChart(made.view(), 2, 3));
  EXPECT_THAT(svg, Not(HasSubstr("&lt;j1&gt;"))) << "it needs the least energy";
  EXPECT_LT(svg.find("&lt;j2&gt;"), svg.find("&lt;j0&gt;"));
  EXPECT_THAT(svg, HasSubstr("1 x 200 W in g&amp;1"));
}

TEST(PlanPageTest, AFrontierHasADotForEachPoint) {
  PlanPage data{"Trade-off", "",      {"Less carbon is less work."},
                {},          nullptr, FrontierChart{"carbon", "kg", "performance", "h", {1, 2, 4}, {3, 5, 6}},
                {}};
  data.sections.push_back({"Points", "points", {"one & two"}, {HtmlTable{{"x"}, {{"1"}}, 0}}});
  const auto page = *Render(data);
  EXPECT_EQ(XmlCheck::Problem(page), "");
  EXPECT_EQ(Count(page, "<circle"), 2 * 3) << "wide and narrow";
  EXPECT_THAT(page, HasSubstr("one &amp; two"));
}

TEST(PlanTablesTest, LengthsHaveTwoUnitsAtMost) {
  EXPECT_EQ(LengthText(0s), "0 s");
  EXPECT_EQ(LengthText(59s), "59 s");
  EXPECT_EQ(LengthText(2h + 1s), "2 h");
  EXPECT_EQ(LengthText(50h + 59min), "2 d 2 h");
}

TEST(PlanTablesTest, WithoutABoundNothingIsClaimed) {
  Made made(Day(1, 0));
  made.answer.outcome.bound = -std::numeric_limits<double>::infinity();
  const HtmlTable table = HeadlineTable(made.view());
  EXPECT_THAT(table.rows[0][1], HasSubstr("better plans may exist"));
  EXPECT_THAT(table.rows[1][1], Not(HasSubstr("bound")));
}

}  // namespace
}  // namespace heliostat::report
