#include "heliostat/control/sim/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat::sim {
namespace {

using ::testing::HasSubstr;

Figures Of(double carbon_kg, std::size_t late_or_undone, std::size_t services_broken = 0) {
  Figures figures;
  figures.carbon_kg = carbon_kg;
  figures.jobs_total = 1000;
  figures.jobs_late_or_undone = late_or_undone;
  figures.services_broken = services_broken;
  return figures;
}

TEST(Judge, HalfAPercentOfTheJobsMoreIsAllowedAndOneJobBeyondIsNot) {
  EXPECT_EQ(Judge({Of(100, 75), Of(90, 80), Of(50, 81)}).winner, 1U);
  EXPECT_EQ(Judge({Of(100, 75), Of(90, 80), Of(50, 80)}).winner, 2U);
  EXPECT_EQ(Judge({Of(100, 75), Of(90, 81)}).winner, 0U) << "the baseline itself is eligible";
}

TEST(Judge, AServiceBeyondItsPercentileExcludesThePolicyEvenTheBaseline) {
  EXPECT_EQ(Judge({Of(100, 0), Of(50, 0, 1), Of(80, 0)}).winner, 2U);
  EXPECT_EQ(Judge({Of(50, 0, 1), Of(80, 0)}).winner, 1U);
  const Verdict none = Judge({Of(50, 0, 1), Of(40, 0, 2)});
  EXPECT_FALSE(none.winner.has_value());
  EXPECT_EQ(none.shown(), 0U);
}

TEST(Judge, SaysWhyAPolicyIsNotEligible) {
  const std::vector<Figures> figures{Of(100, 2), Of(50, 8, 1), Of(60, 7), Of(40, 0, 2)};
  const Verdict verdict = Judge(figures);
  EXPECT_EQ(WhyNot(verdict, figures, 1, "run-now"),
            "8 jobs are late or undone, under run-now it is 2; 1 service is beyond the latency percentile");
  EXPECT_EQ(WhyNot(verdict, figures, 2, "run-now"), "");
  EXPECT_EQ(WhyNot(verdict, figures, 3, "run-now"), "2 services are beyond the latency percentile");
  EXPECT_THAT(RuleOf("run-now"), HasSubstr("at most 0.5 % of the jobs more late or undone than run-now"));
}

RC_GTEST_PROP(JudgeLaws, NoEligiblePolicyEmitsLessThanTheWinner, ()) {
  std::vector<Figures> figures;
  const int count = *rc::gen::inRange(1, 9);
  for (int i = 0; i < count; ++i) {
    figures.push_back(Of(*rc::gen::inRange(0, 5), *rc::gen::inRange<std::size_t>(0, 12), *rc::gen::inRange(0, 2)));
  }
  const Verdict verdict = Judge(figures);
  RC_ASSERT(verdict.policies.size() == figures.size());
  RC_ASSERT(verdict.policies[0].keeps_jobs);
  bool any = false;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    RC_ASSERT(WhyNot(verdict, figures, i, "a").empty() == verdict.policies[i].is_eligible());
    if (!verdict.policies[i].is_eligible()) continue;
    any = true;
    RC_ASSERT(figures[*verdict.winner].carbon_kg <= figures[i].carbon_kg);
  }
  RC_ASSERT(any == verdict.winner.has_value());
  if (any) RC_ASSERT(verdict.policies[*verdict.winner].is_eligible());
}

TEST(FiguresTest, AServiceMayHaveAsManyLateRequestsAsItsPercentileAllows) {
  scenario::Scenario scenario;
  scenario.services.resize(2);
  scenario.services[0].percentile = 0.99;
  scenario.services[1].percentile = 0.9;
  SimulatedRun run;
  run.services.resize(2);
  run.services[0] = {1000, 10, {}, {}};
  run.services[1] = {1000, 100, {}, {}};
  EXPECT_EQ(FiguresOf(scenario, run).services_broken, 0U);
  run.services[0].violated = 10.1;
  EXPECT_EQ(FiguresOf(scenario, run).services_broken, 1U) << "although 5 % of all requests may be late";
}

TEST(FiguresTest, AJobIsLateOrUndoneOnce) {
  scenario::Scenario scenario;
  scenario.slots = 10;
  const Instant end = scenario.end();
  scenario.jobs.resize(5);
  for (const std::size_t j : {0U, 1U, 2U}) scenario.jobs[j].deadline = end - Duration{60};
  scenario.jobs[3].deadline = end + Duration{60};
  SimulatedRun run;
  run.jobs.resize(5);
  run.jobs[0].finish = end - Duration{60};  // in time
  run.jobs[1].finish = end;                 // late
  // The others are undone: one has missed its deadline, one has time left, one has no deadline.
  const Figures figures = FiguresOf(scenario, run);
  EXPECT_EQ(figures.jobs_late_or_undone, 4U);
  EXPECT_EQ(figures.deadline_misses, 2U);
}

}  // namespace
}  // namespace heliostat::sim
