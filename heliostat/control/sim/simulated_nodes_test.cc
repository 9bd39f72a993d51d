#include "heliostat/control/sim/simulated_nodes.h"

#include <gtest/gtest.h>

#include "heliostat/model/scenario/generate.h"

namespace heliostat::sim {
namespace {

using namespace std::chrono_literals;

class NodeParkTest : public ::testing::Test {
 protected:
  NodeParkTest() {
    scenario::Shape shape;
    shape.gpus = 32;
    shape.groups = 2;
    scenario_ = scenario::Generate(shape);
  }
  scenario::Scenario scenario_;
};

TEST_F(NodeParkTest, CountsNodesInEveryState) {
  SimulatedNodes park(scenario_);
  const int nodes = scenario_.groups[1].nodes;
  ASSERT_GE(nodes, 2);
  park.SetState(1, 0, NodeState::kAsleep, scenario_.start);
  park.SetState(1, 1, NodeState::kFailed, scenario_.start);
  EXPECT_EQ(park.Count()[0].up, scenario_.groups[0].nodes);
  EXPECT_EQ(park.Count()[1].up, nodes - 2);
  EXPECT_EQ(park.Count()[1].asleep, 1);
  EXPECT_EQ(park.Count()[1].failed, 1);
}

TEST_F(NodeParkTest, RecordsWhenANodeWasNotUp) {
  SimulatedNodes park(scenario_);
  const Instant start = scenario_.start;
  park.SetState(0, 0, NodeState::kAsleep, start + 1h);
  park.SetState(0, 0, NodeState::kWaking, start + 3h);
  park.SetState(0, 0, NodeState::kUp, start + 4h);
  park.SetState(1, 1, NodeState::kFailed, start + 5h);
  sim::SimulatedRun run;
  park.Finish(start + 6h, run);
  ASSERT_EQ(run.node_spans.size(), 3U);
  EXPECT_EQ(run.node_spans[0].state, NodeState::kAsleep);
  EXPECT_EQ(run.node_spans[0].span, (Interval{start + 1h, start + 3h}));
  EXPECT_EQ(run.node_spans[1].state, NodeState::kWaking);
  EXPECT_EQ(run.node_spans[1].span, (Interval{start + 3h, start + 4h}));
  EXPECT_EQ(run.node_spans[2].group, 1U);
  EXPECT_EQ(run.node_spans[2].span, (Interval{start + 5h, start + 6h}));
}

// What was up and what was not make up all node-seconds.
TEST_F(NodeParkTest, TimesUpAndNotUpAddUp) {
  SimulatedNodes park(scenario_);
  const Duration step = scenario_.step;
  Instant now = scenario_.start;
  for (int slot = 0; slot < 3; ++slot) {
    park.Pass(step / 4);
    now += step / 4;
    park.SetState(0, 0, slot == 1 ? NodeState::kUp : NodeState::kAsleep, now);
    park.Pass(step - step / 4);
    now += step - step / 4;
    park.CloseSlot(step);
  }
  sim::SimulatedRun run;
  park.Finish(now, run);
  double up = 0.0;
  for (const float mean : run.nodes_up[0]) up += static_cast<double>(mean) * Seconds(step).count();
  double not_up = 0.0;
  for (const NodeSpan& span : run.node_spans) not_up += Seconds(span.span.length()).count();
  const double all = scenario_.groups[0].nodes * 3 * Seconds(step).count();
  EXPECT_NEAR(up + not_up, all, 1e-3);
  EXPECT_GT(not_up, 0.0);
}

}  // namespace
}  // namespace heliostat::sim
