#include "heliostat/planning/milp/solve.h"

#include <gmock/gmock.h>

#include "heliostat/planning/milp/testing/tiny.h"

namespace heliostat::milp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the tiny clusters
using plan::Termination;
using ::testing::DoubleNear;
using ::testing::IsEmpty;
using ::testing::Not;

// Solved to the gap, with a valid plan.
void ExpectOptimal(const scenario::Scenario& s, const plan::Limits& limits, const plan::Outcome& outcome) {
  EXPECT_EQ(outcome.status, Termination::kOptimal) << outcome.reason << " " << outcome.value << " " << outcome.bound;
  EXPECT_THAT(plan::Violations(s, limits, outcome.plan()), IsEmpty());
  EXPECT_LE(outcome.bound, outcome.value + 1e-9);
}

TEST(Exact, RunsAtThePointOfLeastEnergyWhenNothingElsePresses) {
  scenario::Scenario s = Cluster({300, 300});
  AddPoint(s, 1, 50.0, 60.0);
  AddPoint(s, 1, 100.0, 100.0);  // 80 W over idle for 100 samples/s: the least per sample when the node is on anyway
  AddPoint(s, 1, 110.0, 200.0);
  AddJob(s, 100.0 * 3600.0, 2.0);
  plan::Limits limits;
  limits.right_sizing = false;
  const plan::Outcome outcome = SolveTiny(s, kEnergy, limits);
  ExpectOptimal(s, limits, outcome);
  // Two hours of a node with four idle GPUs, and an hour of 80 W more.
  EXPECT_THAT(outcome.value, DoubleNear(2 * 0.180 + 0.080, 1e-4));
  for (const plan::Segment& segment : outcome.plan().jobs[0].segments) EXPECT_EQ(segment.point, 1U);
}

TEST(Exact, WaitsForTheCleanerSlot) {
  scenario::Scenario s = Cluster({500, 100, 400});
  AddPoint(s, 1, 10.0, 220.0);
  AddJob(s, 36000.0, 3.0);
  const plan::Outcome outcome = SolveTiny(s, kCarbon);
  ExpectOptimal(s, {}, outcome);
  EXPECT_THAT(HoursIn(s, outcome, 0, 1), DoubleNear(1.0, 1e-3));
  EXPECT_THAT(outcome.value, DoubleNear(0.1 * (0.180 + 0.200), 1e-4));  // kg: the node and 200 W above idle for an hour
  EXPECT_EQ(outcome.plan().nodes_on[0][0], 0);
}

TEST(Exact, PutsTwoHalfNodesTogetherAndLetsTheOtherNodeSleep) {
  scenario::Scenario s = Cluster({300, 300}, 2);
  AddPoint(s, 2, 10.0, 200.0);
  AddJob(s, 36000.0, 2.0);
  AddJob(s, 36000.0, 2.0);
  const plan::Outcome outcome = SolveTiny(s, kEnergy);
  ExpectOptimal(s, {}, outcome);
  EXPECT_EQ(outcome.plan().nodes_on[0][0] + outcome.plan().nodes_on[0][1], 1);
  EXPECT_THAT(outcome.value, DoubleNear(0.100 + 2 * 0.200, 1e-4));
}

TEST(Exact, KeepsANodeOnWhereWakingItAgainWouldCostMore) {
  scenario::Scenario s = Cluster({300, 600, 300});
  s.groups[0].wake_energy = KilowattHours(1.0);
  AddPoint(s, 1, 10.0, 60.0);
  AddJob(s, 2 * 36000.0, 3.0);
  const plan::Outcome outcome = SolveTiny(s, kCarbon);
  ExpectOptimal(s, {}, outcome);
  EXPECT_EQ(outcome.score().wake_ups, 0);
  s.groups[0].wake_energy = Joules{};
  const plan::Outcome free_to_wake = SolveTiny(s, kCarbon);
  ExpectOptimal(s, {}, free_to_wake);
  EXPECT_EQ(free_to_wake.plan().nodes_on[0][1], 0);
  EXPECT_LT(free_to_wake.value, outcome.value);
}

TEST(Exact, PaysForResumingAtEachStart) {
  scenario::Scenario s = Cluster({100, 500, 100});
  AddPoint(s, 1, 10.0, 220.0);
  AddJob(s, 36000.0 + 10.0 * 1800.0, 3.0).resume = Duration{600};
  const plan::Outcome outcome = SolveTiny(s, kCarbon, {}, 1e-3);
  EXPECT_THAT(plan::Violations(s, {}, outcome.plan()), IsEmpty());
  // 5400 s of work and twice 600 s of resuming fit the two clean slots.
  EXPECT_THAT(HoursIn(s, outcome, 0, 0) + HoursIn(s, outcome, 0, 2), DoubleNear(6600.0 / 3600.0, 1e-3));
}

TEST(Exact, RunsAJobThatIsNotPreemptibleInOnePiece) {
  scenario::Scenario s = Cluster({100, 500, 100, 120});
  AddPoint(s, 1, 10.0, 220.0);
  scenario::Job& job = AddJob(s, 36000.0 * 1.5, 4.0);
  job.preemptible = false;
  const plan::Outcome outcome = SolveTiny(s, kCarbon);
  ExpectOptimal(s, {}, outcome);
  EXPECT_THAT(HoursIn(s, outcome, 0, 2), DoubleNear(1.0, 1e-3));
  EXPECT_THAT(HoursIn(s, outcome, 0, 3), DoubleNear(0.5, 1e-3));
}

TEST(Exact, FindsThatTooMuchWorkIsInfeasible) {
  scenario::Scenario s = Cluster({300, 300}, 1, 1);
  AddPoint(s, 1, 10.0, 100.0);
  AddJob(s, 36000.0 * 1.2, 2.0);
  AddJob(s, 36000.0 * 1.2, 2.0);
  const plan::Outcome outcome = SolveTiny(s, kCarbon);
  EXPECT_EQ(outcome.status, Termination::kInfeasible);
  EXPECT_THAT(outcome.reason, Not(IsEmpty()));
}

TEST(Exact, FindsAJobThatCanNeverRunInfeasible) {
  scenario::Scenario s = Cluster({300}, 1, 1);
  AddPoint(s, 2, 10.0, 100.0);
  AddJob(s, 10.0, 1.0);
  EXPECT_EQ(SolveTiny(s, kCarbon).status, Termination::kInfeasible);
}

TEST(Exact, DoesAsMuchBestEffortWorkAsTheCarbonBudgetAllows) {
  scenario::Scenario s = Cluster({200, 400});
  AddPoint(s, 1, 10.0, 120.0);
  AddJob(s, 1e6);
  plan::Limits limits;
  limits.carbon_budget_kg = 0.2 * (0.180 + 0.100) + 0.4 * (0.180 + 0.050);  // all of the first slot, half the second
  const plan::Outcome outcome = SolveTiny(s, kPerformance, limits, 1e-3);
  ExpectOptimal(s, limits, outcome);
  EXPECT_THAT(outcome.score().performance, DoubleNear(1.5, 2e-3));
}

TEST(Exact, ReachesAPerformanceFloorWithTheCleanestWork) {
  scenario::Scenario s = Cluster({200, 100, 400});
  AddPoint(s, 1, 10.0, 120.0);
  AddJob(s, 1e6);
  plan::Limits limits;
  limits.performance_floor = 1.0;
  const plan::Outcome outcome = SolveTiny(s, kCarbon, limits, 1e-3);
  ExpectOptimal(s, limits, outcome);
  EXPECT_THAT(HoursIn(s, outcome, 0, 1), DoubleNear(1.0, 2e-3));
}

TEST(Exact, UsesMoreEnergyWhereThePriceIsNegativeButOnSitePowerFirst) {
  scenario::Scenario s = Cluster({300, 300});
  s.price_per_kwh = {0.2, -0.1};
  s.renewable = {Watts{}, Watts{100.0}};
  AddPoint(s, 1, 10.0, 220.0);
  AddJob(s, 36000.0, 2.0);
  const plan::Outcome outcome = SolveTiny(s, kCost);
  ExpectOptimal(s, {}, outcome);
  EXPECT_THAT(outcome.value, DoubleNear(-0.1 * (0.180 + 0.200 - 0.100), 1e-5));
}

TEST(Exact, SleepsBelowTheOnSitePowerThatIsWorseThanTheGrid) {
  scenario::Scenario s = Cluster({100, 100});
  s.renewable = {Watts{50.0}, Watts{5000.0}};
  s.renewable_carbon = GramsPerKwh(400);
  AddPoint(s, 1, 10.0, 220.0);
  AddJob(s, 36000.0, 2.0);
  const plan::Outcome outcome = SolveTiny(s, kCarbon);
  ExpectOptimal(s, {}, outcome);
  EXPECT_THAT(outcome.value, DoubleNear(0.4 * 0.050 + 0.1 * 0.330, 1e-5));
}

TEST(Exact, KeepsThePowerCapOfEverySlot) {
  scenario::Scenario s = Cluster({100, 400});
  AddPoint(s, 1, 10.0, 220.0);
  AddJob(s, 36000.0, 2.0);
  plan::Limits limits;
  limits.facility_cap = Watts{300.0};  // 120 of the 200 W that running adds: 60 % of the clean slot
  const plan::Outcome outcome = SolveTiny(s, kCarbon, limits, 1e-3);
  ExpectOptimal(s, limits, outcome);
  EXPECT_THAT(HoursIn(s, outcome, 0, 0), DoubleNear(0.6, 1e-3));
}

TEST(Exact, FinishesBestEffortJobsOnlyWhenAsked) {
  scenario::Scenario s = Cluster({100, 400});
  AddPoint(s, 1, 10.0, 220.0);
  AddJob(s, 36000.0);
  EXPECT_NEAR(SolveTiny(s, kCarbon).value, 0.0, 1e-9);
  plan::Limits limits;
  limits.finish_best_effort = true;
  const plan::Outcome outcome = SolveTiny(s, kCarbon, limits);
  ExpectOptimal(s, limits, outcome);
  EXPECT_THAT(outcome.value, DoubleNear(0.1 * 0.380, 1e-5));
}

TEST(Exact, ValuesEarlyWorkByHeadroom) {
  scenario::Scenario s = Cluster({100, 100, 100, 100});
  s.performance = scenario::Performance::kHeadroom;
  AddPoint(s, 1, 10.0, 220.0);
  AddJob(s, 2 * 36000.0, 4.0);
  const plan::Outcome outcome = SolveTiny(s, kPerformance);
  ExpectOptimal(s, {}, outcome);
  EXPECT_THAT(outcome.score().performance, DoubleNear(0.75, 1e-4));  // done at an even pace over the first half
}

TEST(Exact, IsNeverWorseThanThePlanItStartsFrom) {
  scenario::Scenario s = Cluster({300, 200, 100}, 2);
  AddPoint(s, 1, 10.0, 120.0);
  AddPoint(s, 2, 18.0, 230.0);
  AddJob(s, 36000.0, 3.0).resume = Duration{120};
  AddJob(s, 36000.0, 2.0);
  const plan::Outcome good = SolveTiny(s, kCarbon);
  ExpectOptimal(s, {}, good);
  // Without any time, the result is the start.
  const plan::Outcome again = Solve({s, kCarbon, {}}, {Seconds{0.0}, 1e-4}, &good.plan());
  EXPECT_LE(again.value, good.value + 1e-12);
  EXPECT_THAT(plan::Violations(s, {}, again.plan()), IsEmpty());
  EXPECT_LE(again.bound, good.value);
}

TEST(Exact, CountsItsWholeNumbers) {
  scenario::Scenario s = Cluster({300, 200, 100});
  AddPoint(s, 1, 10.0, 120.0);
  AddPoint(s, 2, 18.0, 230.0);
  AddJob(s, 36000.0, 3.0);
  EXPECT_EQ(ProgrammeSize({s, kCarbon, {}}), 3U + 1U);
  s.jobs[0].resume = Duration{60};
  EXPECT_EQ(ProgrammeSize({s, kCarbon, {}}), 3U + 1U + 2U * 3U);
}

}  // namespace
}  // namespace heliostat::milp
