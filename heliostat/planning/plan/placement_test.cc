#include "heliostat/planning/plan/placement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "heliostat/planning/plan/testing/any_plan.h"

namespace heliostat::plan {
namespace {

using testing::At;

Segment From(double from_h, double to_h, std::size_t point) { return {{At(from_h), At(to_h)}, 0, point}; }

// Points of "net" in group 0 by workers.
constexpr std::size_t kOne = 1;
constexpr std::size_t kTwo = 2;
constexpr std::size_t kFour = 3;
constexpr std::size_t kEight = 4;
constexpr std::size_t kThree = 5;  // added below

struct Placed {
  scenario::Scenario scenario;
  Plan plan;
  Placement placement;
};

// One job for each list of segments.
Placed PlaceAll(const std::vector<std::vector<Segment>>& jobs) {
  Placed p{testing::IdleCluster(), {}, {}};
  p.scenario.training.Add("net", "A40", {{}, 3, 28, Watts{840}});
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    p.scenario.jobs.push_back(testing::JobOf(std::to_string(i), 0, std::nullopt, 1));
  }
  p.plan = EmptyPlan(p.scenario);
  for (std::size_t i = 0; i < jobs.size(); ++i) p.plan.jobs[i].segments = jobs[i];
  p.placement = Place(p.scenario, p.plan);
  return p;
}

std::set<int> NodesOf(const Placement& placement, std::size_t job) {
  std::set<int> nodes;
  for (const Hold& hold : placement.holds) {
    if (hold.job == job) nodes.insert(hold.node);
  }
  return nodes;
}

TEST(PlacementTest, RunsThatEndTogetherSitTogether) {
  // Two short and two long runs of two GPUs each: the short ones share a node, which is free after them.
  const Placed p = PlaceAll({{From(0, 1, kTwo)}, {From(0, 4, kTwo)}, {From(0, 1, kTwo)}, {From(0, 4, kTwo)}});
  EXPECT_EQ(NodesOf(p.placement, 0), NodesOf(p.placement, 2));
  EXPECT_EQ(NodesOf(p.placement, 1), NodesOf(p.placement, 3));
  EXPECT_EQ(p.placement.nodes_needed[0], (std::vector<int>{2, 1, 1, 1, 0, 0}));
}

TEST(PlacementTest, ARunLargerThanANodeTakesWholeOnes) {
  const Placed p = PlaceAll({{From(0, 2, kOne)}, {From(1, 2, kEight)}});
  EXPECT_EQ(NodesOf(p.placement, 1).size(), 2U);
  EXPECT_EQ(p.placement.nodes_needed[0], (std::vector<int>{1, 3, 0, 0, 0, 0}));
  EXPECT_EQ(p.placement.spread_runs, 0U);
}

TEST(PlacementTest, ARunIsSpreadWhenNoNodeHasRoom) {
  // Runs of three leave one GPU free on each of the four nodes.
  std::vector<std::vector<Segment>> jobs(4, {From(1, 2, kThree)});
  jobs.push_back({From(1, 2, kOne)});
  EXPECT_EQ(PlaceAll(jobs).placement.spread_runs, 0U) << "it finds room, and all four nodes are needed anyhow";
  jobs.back() = {From(1, 2, kFour)};
  const Placed p = PlaceAll(jobs);
  EXPECT_EQ(p.placement.spread_runs, 1U);
  EXPECT_EQ(p.placement.nodes_needed[0], (std::vector<int>{0, 4, 0, 0, 0, 0}));
}

TEST(PlacementTest, ARunIsSpreadWhenThatSavesANode) {
  const Placed p = PlaceAll({{From(0, 6, kThree)}, {From(0, 6, kThree)}, {From(1, 4, kTwo)}});
  EXPECT_EQ(p.placement.nodes_needed[0], (std::vector<int>{2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(p.placement.spread_runs, 1U);
}

TEST(PlacementTest, NodesAreOnRatherInSlotsThatCostLittle) {
  // The long run of one GPU can share a node with either of the others, and keeps that node on for an hour more.
  const Placed p = PlaceAll({{From(0, 2, kThree)}, {From(1, 3, kThree)}, {From(0, 3, kOne)}});
  const auto needed = [&](std::vector<double> costs) {
    return Place(p.scenario, p.plan, {std::move(costs), std::vector<double>(6, 1.0)}).nodes_needed[0];
  };
  EXPECT_EQ(needed({5, 1, 1, 1, 1, 1}), (std::vector<int>{1, 2, 2, 0, 0, 0}));
  EXPECT_EQ(needed({1, 1, 5, 1, 1, 1}), (std::vector<int>{2, 2, 1, 0, 0, 0}));
  EXPECT_EQ(needed({-3, 0, 0.1, 0, 0, 0}), (std::vector<int>{2, 2, 1, 0, 0, 0}));
}

TEST(PlacementTest, ReplicasFillWhatRunsLeaveFree) {
  Placed p = PlaceAll({{From(0, 2, kTwo)}});
  p.scenario.services = {testing::ServiceOf("front", {40, 40, 40, 0, 0, 0})};
  p.plan.services = EmptyPlan(p.scenario).services;
  for (std::size_t slot = 0; slot < 3; ++slot) p.plan.services[0].slots[slot].replicas = 2;
  EXPECT_EQ(Place(p.scenario, p.plan).nodes_needed[0], (std::vector<int>{1, 1, 1, 0, 0, 0}));
  p.plan.services[0].slots[1].replicas = 3;
  EXPECT_EQ(Place(p.scenario, p.plan).nodes_needed[0], (std::vector<int>{1, 2, 1, 0, 0, 0}));
}

TEST(PlacementTest, AdjoiningSegmentsWithAsManyWorkersAreOneRun) {
  const Placed p = PlaceAll({{From(0, 1, 0), From(1, 2, kOne), From(2, 3, kTwo), From(4, 5, kTwo)}});
  ASSERT_EQ(p.placement.holds.size(), 3U);
  EXPECT_EQ(p.placement.holds[0].span, (Interval{At(0), At(2)}));
}

TEST(PlacementTest, TooMuchForTheGroupNeedsMoreNodesThanItHas) {
  const Placed p = PlaceAll({{From(0, 1, kEight)}, {From(0, 1, kEight)}, {From(0, 1, kOne)}});
  EXPECT_EQ(p.placement.nodes_needed[0][0], 5);
}

// GPUs that jobs hold on a node at each second at which that changes.
std::map<std::pair<std::size_t, int>, std::map<Instant, int>> ChangesByNode(const Placement& placement) {
  std::map<std::pair<std::size_t, int>, std::map<Instant, int>> changes;
  for (const Hold& hold : placement.holds) {
    changes[{hold.group, hold.node}][hold.span.begin] += hold.gpus;
    changes[{hold.group, hold.node}][hold.span.end] -= hold.gpus;
  }
  return changes;
}

std::vector<std::vector<double>> AnyCosts(const scenario::Scenario& scenario) {
  std::vector<std::vector<double>> costs(scenario.groups.size());
  for (std::vector<double>& of_group : costs) {
    for (std::size_t slot = 0; slot < scenario.slots; ++slot)
      of_group.push_back(*rc::gen::element(-1.0, 0.0, 0.2, 3.0));
  }
  return costs;
}

RC_GTEST_PROP(PlacementLaw, NoNodeIsEverOverFull, ()) {
  const testing::AnyCase c = testing::DrawCase(20);
  for (const auto& [where, changes] : ChangesByNode(Place(c.scenario, c.plan, AnyCosts(c.scenario)))) {
    int held = 0;
    for (const auto& [when, change] : changes) {
      held += change;
      RC_ASSERT(held >= 0 && held <= c.scenario.groups[where.first].gpus_per_node);
    }
  }
}

RC_GTEST_PROP(PlacementLaw, EveryRunHoldsItsWorkersFromBeginToEndAndNoJobMoves, ()) {
  const testing::AnyCase c = testing::DrawCase(20);
  const Placement placement = Place(c.scenario, c.plan);
  // GPU-seconds, and for each job's hold no other on the same node at the same time: a run is there once and whole.
  std::map<std::size_t, std::int64_t> held;
  std::map<std::size_t, std::map<Instant, std::map<Instant, int>>> runs;
  for (const Hold& hold : placement.holds) {
    held[hold.job] += hold.gpus * hold.span.length().count();
    runs[hold.job][hold.span.begin][hold.span.end] += hold.gpus;
  }
  for (std::size_t j = 0; j < c.plan.jobs.size(); ++j) {
    std::int64_t asked = 0;
    for (const Segment& segment : c.plan.jobs[j].segments) {
      const auto& point = c.scenario.training.Of("net", c.scenario.groups[segment.group].gpu)[segment.point];
      asked += point.workers * segment.span.length().count();
      // All holds that cover the segment's first second belong to one run, which covers the segment.
      int workers = 0;
      for (const auto& [begin, ends] : runs[j]) {
        for (const auto& [end, gpus] : ends) {
          if (!Interval{begin, end}.Contains(segment.span.begin)) continue;
          RC_ASSERT((Interval{begin, end}.Contains(segment.span)));
          workers += gpus;
        }
      }
      RC_ASSERT(workers == point.workers);
    }
    RC_ASSERT(held[j] == asked);
  }
}

RC_GTEST_PROP(PlacementLaw, NodesNeededLieBetweenWhatGpusNeedAndWhatThereIs, ()) {
  const testing::AnyCase c = testing::DrawCase(20);
  const Placement placement = Place(c.scenario, c.plan, AnyCosts(c.scenario));
  for (std::size_t g = 0; g < c.scenario.groups.size(); ++g) {
    for (std::size_t slot = 0; slot < c.scenario.slots; ++slot) {
      RC_ASSERT(placement.nodes_needed[g][slot] <= c.scenario.groups[g].nodes);
      RC_ASSERT(placement.nodes_needed[g][slot] >= c.plan.nodes_on[g][slot]);
    }
  }
}

RC_GTEST_PROP(PlacementLaw, OnlyTheRatioOfCostsMatters, ()) {
  const testing::AnyCase c = testing::DrawCase(12);
  const std::vector<std::vector<double>> sevens(c.scenario.groups.size(), std::vector<double>(c.scenario.slots, 7.0));
  RC_ASSERT(Place(c.scenario, c.plan).nodes_needed == Place(c.scenario, c.plan, sevens).nodes_needed);
}

RC_GTEST_PROP(PlacementLaw, RealWakeUpsAreTheIncreasesOfTheCount, ()) {
  testing::AnyCase c = testing::DrawCase(20);
  // Only the nodes of jobs are listed one by one.
  for (ServicePlan& service : c.plan.services) service.slots.assign(c.scenario.slots, ServiceSlot{});
  const Placement placement = Place(c.scenario, c.plan);
  for (std::size_t g = 0; g < c.scenario.groups.size(); ++g) {
    std::vector<std::set<int>> on(c.scenario.slots);
    for (const Hold& hold : placement.holds) {
      for (std::size_t slot = 0; slot < c.scenario.slots; ++slot) {
        const bool touches = hold.group == g && !hold.span.Intersect(c.scenario.SlotSpan(slot)).empty();
        if (touches) on[slot].insert(hold.node);
      }
    }
    for (std::size_t slot = 0; slot < c.scenario.slots; ++slot) {
      RC_ASSERT(static_cast<int>(on[slot].size()) == placement.nodes_needed[g][slot]);
      if (slot == 0) continue;
      int woken = 0;
      for (const int node : on[slot]) woken += on[slot - 1].count(node) == 0 ? 1 : 0;
      RC_ASSERT(woken == std::max(0, placement.nodes_needed[g][slot] - placement.nodes_needed[g][slot - 1]));
    }
  }
}

TEST(PlacementTest, ARunThatGoesOnStaysOnItsNodes) {
  Placed p = PlaceAll({{From(0, 2, kTwo)}, {From(0, 3, kTwo)}, {From(0, 1, kOne), From(2, 3, kOne)}});
  p.scenario.jobs[1].begun = {0, 2, {}, {{3, 1}, {2, 1}}};
  p.scenario.jobs[2].begun = {0, 1, {}, {{2, 1}}};
  const Placement placement = Place(p.scenario, p.plan);
  EXPECT_EQ(NodesOf(placement, 1), (std::set<int>{2, 3}));
  EXPECT_EQ(placement.nodes_needed[0], (std::vector<int>{2, 2, 2, 0, 0, 0}));
  for (const Hold& hold : placement.holds) {
    if (hold.job == 2 && hold.span.begin == At(0)) EXPECT_EQ(hold.node, 2);
  }
}

TEST(PlacementTest, NodesThatAreUpComeFirst) {
  Placed p = PlaceAll({{From(0, 2, kFour)}, {From(1, 2, kFour)}});
  p.scenario.is_up = {{false, true, false, true}, {true, true}};
  const Placement placement = Place(p.scenario, p.plan);
  EXPECT_EQ(NodesOf(placement, 0), std::set<int>{1});
  EXPECT_EQ(NodesOf(placement, 1), std::set<int>{3});
}

}  // namespace
}  // namespace heliostat::plan
