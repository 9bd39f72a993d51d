#include "heliostat/control/policy/slot_plan.h"

#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

using namespace std::chrono_literals;

class SlotPlanTest : public ::testing::Test {
 protected:
  Instant At(Duration after) const { return desk_.site().start + after; }
  // Adopts a plan with these nodes on, in groups "slow" and "fast", and the service served by `serving` in each slot.
  void Adopt(const std::vector<int>& slow, const std::vector<int>& fast, const plan::ServiceSlot& serving = {}) {
    Show([&](const Observation& observation) {
      const Lookahead lookahead(observation, choices_, {}, {});
      plan::Plan plan = plan::EmptyPlan(lookahead.scenario());
      plan.nodes_on = {slow, fast};
      for (plan::ServicePlan& service : plan.services) service.slots.assign(slow.size(), serving);
      slots_.Adopt(observation, lookahead, plan);
    });
  }
  // The nodes that must be on when jobs that ask for these GPUs, if any, start in groups "slow" and "fast".
  std::vector<int> NodesOn(const std::vector<int>& gpus = {0, 0}, std::optional<JobId> stopped = {}) {
    Decision decision;
    if (stopped) decision.jobs.push_back({*stopped, {}});
    for (std::size_t g = 0; g < gpus.size(); ++g) {
      if (gpus[g] == 0) continue;
      decision.jobs.push_back({desk_.SubmitUnmeasured(1.0, 20.0, gpus[g]), RunSetting{g, 0}});
    }
    Show([&](const Observation& observation) {
      choices_.Follow(observation);
      slots_.OrderNodes(observation, choices_, decision);
    });
    return decision.nodes_on;
  }
  std::optional<Instant> NextWake() {
    std::optional<Instant> next;
    Show([&](const Observation& observation) { next = slots_.NextWake(observation); });
    return next;
  }
  bool LacksNodes() {
    bool lacks = false;
    Show([&](const Observation& observation) { lacks = slots_.LacksNodes(observation); });
    return lacks;
  }
  std::vector<ServiceOrder> ServiceOrders() {
    Decision decision;
    Show([&](const Observation& observation) { slots_.OrderServices(observation, choices_, decision); });
    return decision.services;
  }
  template <typename Look>
  void Show(const Look& look) {
    desk_.Show([&](const Observation& observation) {
      choices_.Follow(observation);
      look(observation);
    });
  }

  Desk desk_;
  ChoiceTable choices_;
  SlotPlan slots_;
};

TEST_F(SlotPlanTest, CoversAsManySlotsAsThePlan) {
  EXPECT_FALSE(slots_.Covers(0));
  desk_.MoveTo(2.0);
  Adopt({1, 1, 1}, {0, 0, 0});
  EXPECT_TRUE(slots_.Covers(2));
  EXPECT_TRUE(slots_.Covers(4));
  EXPECT_FALSE(slots_.Covers(5));
}

TEST_F(SlotPlanTest, WithoutAPlanEveryNodeStaysOnForTheSlot) {
  Show([&](const Observation& observation) { slots_.KeepAllOn(observation); });
  EXPECT_EQ(NodesOn(), (std::vector<int>{2, 2}));
  EXPECT_TRUE(slots_.Covers(0));
  EXPECT_FALSE(slots_.Covers(1));
}

TEST_F(SlotPlanTest, HasTheNodesOnThatThePlanSays) {
  Adopt({1, 0, 2}, {0, 1, 0});
  EXPECT_EQ(NodesOn(), (std::vector<int>{1, 0}));
  desk_.MoveTo(1.0);
  EXPECT_EQ(NodesOn(), (std::vector<int>{0, 1}));
  desk_.MoveTo(2.0);
  EXPECT_EQ(NodesOn(), (std::vector<int>{2, 0}));
}

TEST_F(SlotPlanTest, WakesNodesInTimeForTheNextSlot) {
  Adopt({0, 2, 0}, {1, 1, 2});
  EXPECT_EQ(NextWake(), At(55min));
  desk_.MoveTo(54.0 / 60.0);
  EXPECT_EQ(NodesOn(), (std::vector<int>{0, 1}));
  desk_.MoveTo(55.0 / 60.0);
  EXPECT_EQ(NodesOn(), (std::vector<int>{2, 1}));
  EXPECT_EQ(NextWake(), At(115min));
  desk_.MoveTo(2.0);
  EXPECT_EQ(NextWake(), std::nullopt);
}

TEST_F(SlotPlanTest, WakesNodesForGpusThatAreMissing) {
  desk_.SetNodesOn(0, 1);
  Adopt({0, 0}, {0, 0});
  EXPECT_EQ(NodesOn({5, 0}), (std::vector<int>{2, 0}));
}

TEST_F(SlotPlanTest, KeepsTheNodesOnThatWorkStartsOnNow) {
  const JobId job = desk_.Submit(4.0, 20.0, 2, 2);
  desk_.job(job).phase = Phase::kRunning;
  desk_.job(job).setting = {0, 4};
  Adopt({0, 0}, {0, 0});
  EXPECT_EQ(NodesOn({2, 0}), (std::vector<int>{1, 0}));  // next to the running job
  EXPECT_EQ(NodesOn({3, 0}), (std::vector<int>{2, 0}));
  EXPECT_EQ(NodesOn({0, 4}), (std::vector<int>{1, 1}));
  EXPECT_EQ(NodesOn({0, 8}, job), (std::vector<int>{1, 2}));
}

TEST_F(SlotPlanTest, NamesTheNodesInUseAndThoseThatThePlanUsesNext) {
  desk_.can().place = true;
  const JobId job = desk_.Submit(4.0, 20.0, 2, 2);
  desk_.job(job).phase = Phase::kRunning;
  desk_.job(job).setting = {0, 4};
  desk_.job(job).nodes = {{1, 2}};
  const auto order = [&](const std::vector<JobOrder>& orders) {
    Decision decision;
    decision.jobs = orders;
    Show([&](const Observation& observation) {
      choices_.Follow(observation);
      slots_.OrderNodes(observation, choices_, decision);
    });
    return decision.nodes_up;
  };
  Adopt({1, 1}, {0, 0});
  EXPECT_EQ(order({}), (std::vector<std::vector<int>>{{1}, {}}));
  JobOrder start{desk_.SubmitUnmeasured(1.0, 20.0, 3), RunSetting{0, 0}};
  EXPECT_EQ(order({start}), (std::vector<std::vector<int>>{{1, 0}, {}})) << "it does not fit next to the other";
  EXPECT_EQ(order({{job, {}}}), (std::vector<std::vector<int>>{{0}, {}})) << "one is planned, and all are free";
  start.nodes = {{0, 3}};
  EXPECT_EQ(order({{job, {}}, start}), (std::vector<std::vector<int>>{{0}, {}}));
}

TEST_F(SlotPlanTest, NeverPutsNodesInUseToSleep) {
  const JobId job = desk_.Submit(4.0, 20.0, 4, 4);
  desk_.job(job).phase = Phase::kRunning;
  desk_.job(job).setting = {1, 8};
  Adopt({0, 0}, {0, 0});
  EXPECT_EQ(NodesOn(), (std::vector<int>{0, 1}));
}

TEST_F(SlotPlanTest, NoticesNodesThatAreGone) {
  Adopt({2, 1}, {1, 1});
  EXPECT_FALSE(LacksNodes());
  desk_.FailNode(0);
  EXPECT_TRUE(LacksNodes());
  desk_.MoveTo(1.0);
  EXPECT_FALSE(LacksNodes());
  desk_.FailNode(1);
  EXPECT_FALSE(LacksNodes());
  desk_.FailNode(1);
  EXPECT_TRUE(LacksNodes());
}

TEST_F(SlotPlanTest, ServesAsPlannedWhileTheRateIsAsExpected) {
  desk_.AddService(10.0);
  Adopt({1, 1}, {1, 1}, {1, 0, 3, 0.2, {}});
  const auto orders = ServiceOrders();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].serving, (Serving{1, 0, 3}));
  EXPECT_EQ(orders[0].why.kind, Reason::Kind::kPlan);
  desk_.SetServing(0, orders[0].serving);
  EXPECT_TRUE(ServiceOrders().empty());
}

TEST_F(SlotPlanTest, AnotherRateIsServedWithLeastPowerWhereThePlanHadIt) {
  desk_.AddService(10.0);
  Adopt({1, 1}, {1, 1}, {1, 1, 1, 0.5, {}});
  desk_.SetRate(0, 35.0);
  const auto orders = ServiceOrders();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].serving.group, 1U);
  EXPECT_GE(orders[0].serving.replicas, 2);
  EXPECT_EQ(orders[0].why.kind, Reason::Kind::kLoad);
}

TEST_F(SlotPlanTest, ARateThatMovesWithinTheSlotLeavesAServiceThatAnswersAlone) {
  desk_.AddService(10.0);
  Adopt({1, 1}, {1, 1}, {1, 1, 1, 0.5, {}});
  desk_.MoveTo(0.5);
  desk_.SetRate(0, 35.0);
  EXPECT_EQ(ServiceOrders().size(), 1U);  // it has no replicas yet
  desk_.SetServing(0, {1, 1, 1});
  EXPECT_TRUE(ServiceOrders().empty());
  desk_.MoveTo(1.0);
  EXPECT_EQ(ServiceOrders().size(), 1U);
}

TEST_F(SlotPlanTest, ARateThatNothingCanServeLeavesThePlansWay) {
  desk_.AddService(10.0);
  Adopt({1, 1}, {1, 1}, {1, 1, 2, 0.5, {}});
  desk_.SetRate(0, 1e6);
  const auto orders = ServiceOrders();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].serving, (Serving{1, 1, 2}));
}

}  // namespace
}  // namespace heliostat::policy::testing
