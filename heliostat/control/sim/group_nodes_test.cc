#include "heliostat/control/sim/group_nodes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat::sim {
namespace {

scenario::Group GroupOf(int nodes, int gpus) {
  scenario::Group group;
  group.nodes = nodes;
  group.gpus_per_node = gpus;
  return group;
}

int GpusOf(const Holds& holds) {
  int gpus = 0;
  for (const NodeHold& hold : holds) gpus += hold.gpus;
  return gpus;
}

TEST(GroupNodes, FillsTheFullestNodeWhereThingsFit) {
  GroupNodes nodes(GroupOf(3, 4));
  const Holds first = nodes.Take(3);
  const Holds second = nodes.Take(2);
  const Holds third = nodes.Take(1);
  EXPECT_NE(first[0].node, second[0].node);
  EXPECT_EQ(third[0].node, first[0].node);
  EXPECT_EQ(nodes.in_use(), 2);
}

TEST(GroupNodes, SpreadsOnlyWhatFitsNowhere) {
  GroupNodes nodes(GroupOf(2, 4));
  nodes.Take(3);
  nodes.Take(3);
  const Holds spread = nodes.Take(2);
  EXPECT_EQ(spread.size(), 2U);
  EXPECT_EQ(nodes.gpus_free(), 0);
  EXPECT_TRUE(nodes.Take(1).empty());
}

TEST(GroupNodes, JobsThatEndTogetherShareANode) {
  GroupNodes nodes(GroupOf(2, 4));
  const Instant now{};
  const auto hours = [&](int h) { return now + std::chrono::hours{h}; };
  const Holds late = nodes.Take(1, now, hours(10));
  const Holds early = nodes.Take(1, now, hours(1));
  EXPECT_EQ(early[0].node, late[0].node);  // it costs no node-hour there
  nodes.Release(early);
  nodes.Release(late);
  const Holds first = nodes.Take(2, now, hours(1));
  const Holds second = nodes.Take(3, now, hours(9));  // does not fit next to it
  EXPECT_NE(first[0].node, second[0].node);
  EXPECT_EQ(nodes.Take(1, now, hours(9))[0].node, second[0].node);
}

TEST(GroupNodes, NamedGpusAreTakenAllOrNone) {
  GroupNodes nodes(GroupOf(3, 4));
  EXPECT_TRUE(nodes.TakeNamed({{2, 3}, {1, 1}}, {}));
  EXPECT_EQ(nodes.used(2), 3);
  EXPECT_FALSE(nodes.TakeNamed({{0, 1}, {2, 2}}, {}));
  EXPECT_EQ(nodes.used(0), 0);
  EXPECT_FALSE(nodes.TakeNamed({{0, 3}, {0, 2}}, {})) << "together more than the node has";
  EXPECT_FALSE(nodes.TakeNamed({{3, 1}}, {})) << "no such node";
  nodes.SetState(0, NodeState::kAsleep);
  EXPECT_FALSE(nodes.TakeNamed({{0, 1}}, {}));
  EXPECT_EQ(nodes.gpus_in_use(), 4);
}

TEST(GroupNodes, FillUsesGapsBeforeEmptyNodes) {
  GroupNodes nodes(GroupOf(3, 4));
  nodes.Take(3);
  const Holds replicas = nodes.Fill(3);
  EXPECT_EQ(GpusOf(replicas), 3);
  EXPECT_EQ(nodes.in_use(), 2);
}

// For any sequence of takes and releases, the number of GPUs stays the same, and no node holds more than it has.
RC_GTEST_PROP(GroupNodes, GpusAreConserved, ()) {
  const int count = *rc::gen::inRange(1, 6);
  const int per_node = *rc::gen::inRange(1, 9);
  GroupNodes nodes(GroupOf(count, per_node));
  std::vector<Holds> held;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 60));
  for (const int step : steps) {
    if (step < 30) {
      const int gpus = step % 12 + 1;
      const int free = nodes.gpus_free();
      const Holds holds = step % 2 == 0 ? nodes.Take(gpus) : nodes.Fill(gpus);
      RC_ASSERT(GpusOf(holds) == (gpus <= free ? gpus : 0));
      if (!holds.empty()) held.push_back(holds);
    } else if (step < 50 && !held.empty()) {
      const auto which = static_cast<std::size_t>(step) % held.size();
      nodes.Release(held[which]);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
    } else if (step < 55) {
      const int node = nodes.FindEmpty();
      if (node >= 0) nodes.SetState(node, NodeState::kAsleep);
    } else {
      const int node = nodes.FindAsleep();
      if (node >= 0) nodes.SetState(node, NodeState::kUp);
    }
    int in_use = 0;
    for (const Holds& holds : held) in_use += GpusOf(holds);
    RC_ASSERT(nodes.gpus_in_use() == in_use);
    RC_ASSERT(nodes.gpus_up() == nodes.up() * per_node);
    RC_ASSERT(nodes.up() + nodes.asleep() == count);
    int used_nodes = 0;
    for (int n = 0; n < count; ++n) {
      RC_ASSERT(nodes.used(n) >= 0 && nodes.used(n) <= per_node);
      used_nodes += nodes.used(n) > 0 ? 1 : 0;
    }
    RC_ASSERT(nodes.in_use() == used_nodes);
  }
}

}  // namespace
}  // namespace heliostat::sim
