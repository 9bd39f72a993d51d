#include "heliostat/planning/plan/nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

namespace heliostat::plan {
namespace {

using ::testing::ElementsAre;

NodeCosts Flat(std::size_t slots, double idle, double wake_up) {
  return {std::vector<double>(slots, idle), std::vector<double>(slots, wake_up)};
}

// The cost of a count of nodes by docs/contract.md, with wake-ups as increases of the count.
double CostOf(const std::vector<int>& on, const std::vector<int>& needed, const NodeCosts& costs) {
  double cost = 0.0;
  for (std::size_t t = 0; t < on.size(); ++t) {
    cost += (on[t] - needed[t]) * costs.idle[t];
    if (t > 0) cost += std::max(0, on[t] - on[t - 1]) * std::max(0.0, costs.wake_up[t]);
  }
  return cost;
}

// The least over all counts, by trying them all.
double LeastCost(const std::vector<int>& needed, int nodes, const NodeCosts& costs) {
  std::vector<int> on = needed;
  double least = std::numeric_limits<double>::infinity();
  for (;;) {
    least = std::min(least, CostOf(on, needed, costs));
    std::size_t t = 0;
    while (t < on.size() && on[t] == nodes) {
      on[t] = needed[t];
      ++t;
    }
    if (t == on.size()) return least;
    ++on[t];
  }
}

TEST(KeepOnTest, SleepsThroughLongGapsAndStaysOnThroughShortOnes) {
  EXPECT_THAT(KeepOn({1, 0, 1, 0, 0, 0, 1}, {4, 4}, Flat(7, 2, 5)), ElementsAre(1, 1, 1, 0, 0, 0, 1));
}

TEST(KeepOnTest, TheFirstSlotWakesNoneAndTheEndNeedsNone) {
  EXPECT_THAT(KeepOn({2, 2, 0, 0}, {4, 4}, Flat(4, 1, 100)), ElementsAre(2, 2, 0, 0));
  EXPECT_THAT(KeepOn({0, 0, 1, 1}, {4, 4}, Flat(4, 1, 100)), ElementsAre(1, 1, 1, 1)) << "on at the start, so kept on";
  EXPECT_THAT(KeepOn({0, 0, 1, 1}, {4, 4}, Flat(4, 1, 1)), ElementsAre(0, 0, 1, 1));
}

TEST(KeepOnTest, ANodeThatSleepsBeforeTheFirstSlotWakesWhenItIsNeeded) {
  EXPECT_THAT(KeepOn({0, 0, 1, 1}, {4, 0}, Flat(4, 1, 100)), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(KeepOn({0, 0, 2, 2}, {4, 1}, Flat(4, 1, 100)), ElementsAre(1, 1, 2, 2)) << "one is up, so it stays";
}

TEST(KeepOnTest, StaysOnWhereThatEarns) {
  EXPECT_THAT(KeepOn({1, 0, 0}, {3, 3}, Flat(3, -1, 5)), ElementsAre(3, 3, 3));
}

TEST(KeepOnTest, NeedsNothingForNothing) {
  EXPECT_THAT(KeepOn({}, {3, 3}, {}), ElementsAre());
  EXPECT_THAT(KeepOn({0, 0}, {0, 0}, Flat(2, -1, 0)), ElementsAre(0, 0));
}

RC_GTEST_PROP(KeepOnLaw, NothingIsCheaper, ()) {
  const int nodes = *rc::gen::inRange(0, 4);
  const auto slots = static_cast<std::size_t>(*rc::gen::inRange(0, 6));
  std::vector<int> needed;
  NodeCosts costs;
  for (std::size_t t = 0; t < slots; ++t) {
    needed.push_back(*rc::gen::inRange(0, nodes + 1));
    costs.idle.push_back(*rc::gen::inRange(-4, 12));
    costs.wake_up.push_back(*rc::gen::inRange(-4, 30));
  }
  const std::vector<int> on = KeepOn(needed, {nodes, nodes}, costs);
  RC_ASSERT(on.size() == slots);
  for (std::size_t t = 0; t < slots; ++t) RC_ASSERT(on[t] >= needed[t] && on[t] <= nodes);
  RC_ASSERT(CostOf(on, needed, costs) == LeastCost(needed, nodes, costs));
}

}  // namespace
}  // namespace heliostat::plan
