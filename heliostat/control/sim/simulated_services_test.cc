#include "heliostat/control/sim/simulated_services.h"

#include <gtest/gtest.h>

#include "heliostat/model/scenario/generate.h"

namespace heliostat::sim {
namespace {

class ServingDeskTest : public ::testing::Test {
 protected:
  ServingDeskTest() {
    scenario::Shape shape;
    shape.seed = 3;
    shape.gpus = 32;
    shape.groups = 2;
    shape.services = 2;
    scenario_ = scenario::Generate(shape);
    for (std::size_t g = 0; g < scenario_.groups.size(); ++g) all_ += scenario_.groups[g].gpus();
  }
  scenario::Scenario scenario_;
  std::map<std::size_t, Requests> no_traces_;
  int all_ = 0;
};

TEST_F(ServingDeskTest, HoldsAsManyGpusAsItHasReplicas) {
  SimulatedNodes park(scenario_);
  SimulatedServices desk(scenario_, no_traces_, park);
  desk.BeginSlot(0, scenario_.start);
  desk.Serve({0, {0, 0, 3}, {}, 1}, scenario_.start);
  desk.Serve({1, {1, 0, 2}, {}, 2}, scenario_.start);
  EXPECT_EQ(park[0].gpus_in_use(), 3);
  EXPECT_EQ(park[1].gpus_in_use(), 2);
  desk.Serve({0, {1, 0, 1}, {}, 3}, scenario_.start);
  EXPECT_EQ(park[0].gpus_in_use(), 0);
  EXPECT_EQ(park[1].gpus_in_use(), 3);
}

TEST_F(ServingDeskTest, TakesWhatThereIsWhenRoomIsShort) {
  SimulatedNodes park(scenario_);
  SimulatedServices desk(scenario_, no_traces_, park);
  desk.BeginSlot(0, scenario_.start);
  desk.Serve({0, {0, 0, all_ + 5}, {}, 1}, scenario_.start);
  EXPECT_EQ(desk.states()[0].serving.replicas, scenario_.groups[0].gpus());
}

TEST_F(ServingDeskTest, ReplicasMakeRoomOnANodeIfOthersHaveIt) {
  SimulatedNodes park(scenario_);
  SimulatedServices desk(scenario_, no_traces_, park);
  desk.BeginSlot(0, scenario_.start);
  const int size = scenario_.groups[0].gpus_per_node;
  ASSERT_GE(scenario_.groups[0].nodes, 2);
  desk.Serve({0, {0, 0, size}, {}, 1}, scenario_.start);
  const int home = park[0].used(0) > 0 ? 0 : 1;
  ASSERT_EQ(park[0].used(home), size);
  EXPECT_TRUE(desk.MakeRoom(0, home, size));
  EXPECT_EQ(park[0].used(home), 0);
  EXPECT_EQ(park[0].gpus_in_use(), size) << "all replicas are elsewhere";
  EXPECT_EQ(desk.states()[0].serving.replicas, size);
  desk.Serve({1, {0, 0, park[0].gpus_free()}, {}, 2}, scenario_.start);
  EXPECT_FALSE(desk.MakeRoom(0, home, 1)) << "no other node has room";
  EXPECT_EQ(park[0].gpus_free(), 0);
}

TEST_F(ServingDeskTest, DrawsOnlyWhereItServes) {
  SimulatedNodes park(scenario_);
  SimulatedServices desk(scenario_, no_traces_, park);
  desk.BeginSlot(0, scenario_.start);
  EXPECT_EQ(desk.PowerIn(0).value, 0.0);
  desk.Serve({0, {0, 0, 2}, {}, 1}, scenario_.start);
  EXPECT_GE(desk.PowerIn(0).value, 2 * scenario_.groups[0].gpu_idle.value);
  EXPECT_EQ(desk.PowerIn(1).value, 0.0);
}

TEST_F(ServingDeskTest, LosesTheReplicasOfOneNodeAlone) {
  SimulatedNodes park(scenario_);
  SimulatedServices desk(scenario_, no_traces_, park);
  desk.BeginSlot(0, scenario_.start);
  const int per_node = scenario_.groups[0].gpus_per_node;
  desk.Serve({0, {0, 0, per_node + 1}, {}, 1}, scenario_.start);
  int on_first = park[0].used(0);
  if (on_first == 0) on_first = park[0].used(1);
  const int node = park[0].used(0) > 0 ? 0 : 1;
  desk.LoseNode(0, node, scenario_.start);
  EXPECT_EQ(park[0].used(node), 0);
  EXPECT_EQ(desk.states()[0].serving.replicas, per_node + 1 - on_first);
  desk.LoseNode(1, node, scenario_.start);  // of another group
  EXPECT_EQ(desk.states()[0].serving.replicas, per_node + 1 - on_first);
}

TEST_F(ServingDeskTest, CountsRequestsOfEverySlot) {
  SimulatedNodes park(scenario_);
  SimulatedServices desk(scenario_, no_traces_, park);
  double expected = 0.0;
  for (std::size_t slot = 0; slot < 3; ++slot) {
    desk.BeginSlot(slot, scenario_.SlotSpan(slot).begin);
    desk.EndSlot(scenario_.SlotSpan(slot).end);
    expected += scenario_.services[0].requests_per_s[slot] * Seconds(scenario_.step).count();
  }
  const auto runs = desk.Finish();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_NEAR(runs[0].requests, expected, 1e-6 * expected);
  EXPECT_EQ(runs[0].slots.size(), 3U);
}

}  // namespace
}  // namespace heliostat::sim
