#include "heliostat/planning/plan/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heliostat/planning/plan/placement.h"
#include "heliostat/planning/plan/testing/any_plan.h"

namespace heliostat::plan {
namespace {

using testing::At;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CheckTest : public ::testing::Test {
 protected:
  // A plan that keeps everything: "tight" and "loose" run on two workers, the service on one or two GPUs.
  CheckTest() : scenario_(testing::SmallScenario()), plan_(EmptyPlan(scenario_)) {
    plan_.jobs[0].segments = {{{At(0), At(1)}, 0, 2}};
    plan_.jobs[1].segments = {{{At(2), At(3.5)}, 0, 2}};
    for (std::size_t slot = 0; slot < scenario_.slots; ++slot) {
      if (scenario_.services[0].requests_per_s[slot] == 0.0) continue;
      plan_.services[0].slots[slot] = testing::Serve(scenario_, 0, slot, 0, 1, 2);
    }
    testing::SetFewestNodes(scenario_, plan_);
  }

  std::vector<std::string> Broken() const { return Violations(scenario_, limits_, plan_); }

  scenario::Scenario scenario_;
  Limits limits_;
  Plan plan_;
};

TEST_F(CheckTest, AGoodPlanBreaksNothing) { EXPECT_THAT(Broken(), IsEmpty()); }

TEST_F(CheckTest, AMissedDeadlineIsToldWithWhatIsMissing) {
  plan_.jobs[0].segments[0].span.end = At(0.5);
  EXPECT_THAT(Broken(), ElementsAre("job tight: 31920 of 50000 samples are made by 2023-06-05T03:00:00Z"));
}

TEST_F(CheckTest, ADeadlineBehindTheHorizonMustBeMetByItsEnd) {
  scenario_.jobs[1].deadline = At(100);
  EXPECT_THAT(Broken(), IsEmpty());
  plan_.jobs[1].segments.clear();
  EXPECT_THAT(Broken(), ElementsAre(HasSubstr("by 2023-06-05T06:00:00Z")));
}

TEST_F(CheckTest, BestEffortMustBeDoneOnlyWhenAsked) {
  limits_.finish_best_effort = true;
  EXPECT_THAT(Broken(), ElementsAre(HasSubstr("job whenever: 0 of 90000 samples")));
}

TEST_F(CheckTest, HoldsMustBeTheWorkersOfEveryRun) {
  plan_.holds = Place(scenario_, plan_).holds;
  EXPECT_THAT(Broken(), IsEmpty());
  plan_.holds[0].gpus = 1;
  EXPECT_THAT(Broken(), ElementsAre("job tight: holds 1 GPUs fewer than its workers at 2023-06-05T00:00:00Z"));
  plan_.holds[0].gpus = 2;
  plan_.holds[0].span.end += Duration{60};
  EXPECT_THAT(Broken(), ElementsAre("job tight: holds 2 GPUs more than its workers at 2023-06-05T01:00:00Z"));
}

TEST_F(CheckTest, NoNodeHoldsMoreThanItHas) {
  plan_.holds = Place(scenario_, plan_).holds;
  plan_.jobs[0].segments = plan_.jobs[1].segments = {{{At(2), At(3)}, 0, 2}};
  const Interval span{At(2), At(3)};
  plan_.holds = {{0, span, 0, 1, 2}, {1, span, 0, 1, 2}};
  testing::SetFewestNodes(scenario_, plan_);
  EXPECT_THAT(Broken(), Not(Contains(HasSubstr("node 1 holds"))));
  scenario_.groups[0].gpus_per_node = 3;
  EXPECT_THAT(Broken(), Contains("group a40: node 1 holds 4 GPUs at 2023-06-05T02:00:00Z, it has 3"));
  plan_.holds[1].node = scenario_.groups[0].nodes;
  EXPECT_THAT(Broken(), Contains(HasSubstr("names a job or a node that does not exist")));
}

TEST_F(CheckTest, WorkLiesInsideTheWindow) {
  plan_.jobs[1].segments[0].span = {At(0.5), At(2)};
  EXPECT_THAT(Broken(), Contains("job loose: runs at 2023-06-05T00:30:00Z, before 2023-06-05T01:00:00Z"));
  plan_.jobs[0].segments[0].span = {At(2), At(3) + Duration{1}};
  EXPECT_THAT(Broken(), Contains("job tight: runs until 2023-06-05T03:00:01Z, later than 2023-06-05T03:00:00Z"));
}

TEST_F(CheckTest, SegmentsComeInOrderInOneGroup) {
  plan_.jobs[2].segments = {{{At(3), At(4)}, 0, 0}, {{At(3.5), At(5)}, 1, 0}, {{At(5), At(5)}, 1, 0}};
  for (auto& on : plan_.nodes_on) std::fill(on.begin(), on.end(), 2);
  EXPECT_THAT(Broken(), ElementsAre(HasSubstr("begins before the former has ended"),
                                    "job whenever: moves from group a40 to v100 at 2023-06-05T03:30:00Z",
                                    "job whenever: a segment at 2023-06-05T05:00:00Z has no length"));
}

TEST_F(CheckTest, WorkersAreThoseThatTheJobAllows) {
  scenario_.jobs[0].min_workers = 4;
  EXPECT_THAT(Broken(), ElementsAre("job tight: runs at 2023-06-05T00:00:00Z with 2 workers, not 4 to 8"));
}

TEST_F(CheckTest, OnePieceMeansOnePieceAtOneNumberOfWorkers) {
  scenario_.jobs[2].preemptible = false;
  std::fill(plan_.nodes_on[0].begin(), plan_.nodes_on[0].end(), 4);
  plan_.jobs[2].segments = {{{At(0), At(1)}, 0, 0}, {{At(1), At(2)}, 0, 1}};
  EXPECT_THAT(Broken(), IsEmpty()) << "the operating point may change";
  plan_.jobs[2].segments = {{{At(0), At(1)}, 0, 0}, {{At(1), At(2)}, 0, 2}};
  EXPECT_THAT(Broken(), ElementsAre(HasSubstr("changes its workers at 2023-06-05T01:00:00Z")));
  plan_.jobs[2].segments = {{{At(0), At(1)}, 0, 0}, {{At(2), At(3)}, 0, 0}};
  EXPECT_THAT(Broken(), ElementsAre(HasSubstr("pauses until 2023-06-05T02:00:00Z")));
}

TEST_F(CheckTest, GpusInUseAreCountedAtEverySecond) {
  // One node has four GPUs: two serve, two train. One second of overlap is one too many.
  plan_.jobs[2].segments = {{{At(1) - Duration{1}, At(1.5)}, 0, 2}};
  EXPECT_THAT(Broken(),
              ElementsAre("group a40: 6 GPUs are in use at 2023-06-05T00:59:59Z, 1 nodes that are on have 4"));
  plan_.jobs[2].segments = {{{At(1), At(1.5)}, 0, 2}};
  EXPECT_THAT(Broken(), IsEmpty());
}

TEST_F(CheckTest, NodesOnExistAndStayOnWhenTheyMust) {
  limits_.right_sizing = false;
  EXPECT_THAT(Broken(), Contains("group a40: 3 of 4 nodes are off at 2023-06-05T00:00:00Z, though all must stay on"));
  limits_.right_sizing = true;
  plan_.nodes_on[1][2] = 3;
  EXPECT_THAT(Broken(), ElementsAre("group v100: 3 nodes are on at 2023-06-05T02:00:00Z, not 0 to 2"));
  plan_.nodes_on[1][2] = -1;
  EXPECT_THAT(Broken(), ElementsAre(HasSubstr("group v100: -1 nodes are on"), HasSubstr("group v100: 0 GPUs")));
}

TEST_F(CheckTest, UtilisationAndLatencyAreWhatTheyAreSaidToBe) {
  plan_.services[0].slots[0].utilisation *= 0.9;
  plan_.services[0].slots[1].latency *= 0.9;
  EXPECT_THAT(Broken(), ElementsAre(HasSubstr("utilisation at 2023-06-05T00:00:00Z is given as 0.18, but is 0.2"),
                                    HasSubstr("latency at 2023-06-05T01:00:00Z is given as")));
}

TEST_F(CheckTest, LatencyIsKept) {
  scenario_.services[0].latency_slo = Seconds(0.0101);
  EXPECT_THAT(Broken(), Contains(HasSubstr("ms, above 10.1 ms")));
}

TEST_F(CheckTest, ReplicasKeepUp) {
  plan_.services[0].slots[2] = {0, 1, 1, 1.2, Seconds(0.05)};
  EXPECT_THAT(Broken(), ElementsAre("service front: utilisation at 2023-06-05T02:00:00Z is 1.2, not below 1"));
  plan_.services[0].slots[2] = {};
  EXPECT_THAT(Broken(), ElementsAre("service front: nothing serves 120 requests/s at 2023-06-05T02:00:00Z"));
}

TEST_F(CheckTest, ReplicasAreInRange) {
  scenario_.services[0].min_replicas = 1;
  scenario_.services[0].max_replicas = 1;
  const auto broken = Broken();
  ASSERT_EQ(broken.size(), 6U);
  EXPECT_EQ(broken[3], "service front: 0 replicas at 2023-06-05T03:00:00Z, not 1 to 1");
}

TEST_F(CheckTest, BudgetFloorAndCapAreKept) {
  const Score score = ScoreOf(scenario_, plan_);
  Watts most;
  for (const account::Balance& b : score.slots) most = std::max(most, b.facility / Seconds(scenario_.step));
  limits_ = {score.carbon_kg(), score.performance, most, true, false};
  EXPECT_THAT(Broken(), IsEmpty());
  limits_ = {score.carbon_kg() * 0.999, score.performance * 1.001, most * 0.999, true, false};
  EXPECT_THAT(Broken(),
              ElementsAre(HasSubstr("above the cap of"), HasSubstr("above the budget"), HasSubstr("below the floor")));
}

TEST_F(CheckTest, WhatDoesNotExistIsToldAndNotLookedUp) {
  plan_.jobs[0].segments[0].group = 7;
  plan_.jobs[1].segments[0].point = 99;
  plan_.services[0].slots[0].point = 99;
  EXPECT_THAT(Broken(), ElementsAre(HasSubstr("group number 7, which does not exist"),
                                    HasSubstr("job loose: runs at 2023-06-05T02:00:00Z at an operating point"),
                                    HasSubstr("service front: served at 2023-06-05T00:00:00Z at an operating point")));
  plan_.nodes_on.pop_back();
  EXPECT_THAT(Broken(), ElementsAre("the plan has 1 groups, the scenario 2"));
  EXPECT_FALSE(Violations(scenario_, {}, Plan{}).empty());
}

RC_GTEST_PROP(CheckLaw, OneNodeFewerThanNeededIsAlwaysFound, ()) {
  testing::AnyCase c = testing::DrawCase();
  const auto count_over = [&] {
    std::size_t over = 0;
    for (const std::string& text : Violations(c.scenario, {}, c.plan))
      over += text.find("GPUs are in use") < text.size();
    return over;
  };
  RC_ASSERT(count_over() == 0U);
  std::size_t used = 0;
  for (std::vector<int>& on : c.plan.nodes_on) {
    for (int& nodes : on) {
      if (nodes == 0) continue;
      --nodes;
      ++used;
    }
  }
  RC_ASSERT(count_over() == used);
}

RC_GTEST_PROP(CheckLaw, TheRefereeCountsSamplesAsThePlanDoes, ()) {
  testing::AnyCase c = testing::DrawCase();
  for (std::size_t j = 0; j < c.scenario.jobs.size(); ++j) {
    const double made = SamplesDone(c.scenario, j, c.plan.jobs[j]);
    const auto said_short = [&](double samples) {
      c.scenario.jobs[j].deadline = c.scenario.end();
      c.scenario.jobs[j].samples = samples;
      const std::string begin = "job " + c.scenario.jobs[j].id + ": ";
      for (const std::string& text : Violations(c.scenario, {}, c.plan)) {
        if (text.rfind(begin, 0) == 0 && text.find("samples are made") != std::string::npos) return true;
      }
      return false;
    };
    RC_ASSERT(!said_short(made));
    RC_ASSERT(said_short(made * 1.001 + 1.0));
  }
}

}  // namespace
}  // namespace heliostat::plan
