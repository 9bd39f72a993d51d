#include "heliostat/control/cluster/slurm_nodes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "heliostat/control/cluster/testing/scripted_slurm.h"

namespace heliostat::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Recorded;

TEST(SlurmNodes, ReadsRecordedNodes) {
  const auto parsed = ParseNodes(Recorded("nodes.txt"));
  ASSERT_TRUE(parsed) << parsed.error().Line();
  EXPECT_THAT(parsed->problems, IsEmpty());
  ASSERT_EQ(parsed->nodes.size(), 4u);
  const ClusterNode mixed{.name = "gpu1",
                          .state = NodeState::kMixed,
                          .gpus = {{"a40", 4}},
                          .gpus_in_use = {{"a40", 2}},
                          .cpus = 16,
                          .cpus_in_use = 2,
                          .partitions = {"main", "other"},
                          .features = {"a40"}};
  EXPECT_EQ(parsed->nodes[0], mixed);
  EXPECT_EQ(parsed->nodes[1].state, NodeState::kIdle);
  EXPECT_THAT(parsed->nodes[1].gpus_in_use, IsEmpty());
  EXPECT_EQ(parsed->nodes[2].gpus_in_use, (GpusByType{{"h100", 7}}));
  EXPECT_TRUE(parsed->nodes[3].is_draining);
  EXPECT_EQ(parsed->nodes[3].reason, "fan is broken");
  EXPECT_THAT(parsed->nodes[3].gpus, IsEmpty());
}

ClusterNode NodeIn(std::string_view state) {
  const auto parsed = ParseNodes(fmt::format("NodeName=n1 CPUTot=4 State={} Partitions=p\n", state));
  EXPECT_TRUE(parsed && parsed->nodes.size() == 1);
  return parsed->nodes[0];
}

TEST(SlurmNodes, KnowsEveryState) {
  EXPECT_EQ(NodeIn("IDLE").state, NodeState::kIdle);
  EXPECT_EQ(NodeIn("ALLOCATED").state, NodeState::kAllocated);
  EXPECT_EQ(NodeIn("IDLE+COMPLETING").state, NodeState::kAllocated);
  EXPECT_EQ(NodeIn("IDLE+POWER_DOWN").state, NodeState::kPoweringDown);
  EXPECT_EQ(NodeIn("MIXED+POWER_DOWN").state, NodeState::kMixed);
  EXPECT_EQ(NodeIn("IDLE+POWERING_DOWN").state, NodeState::kPoweringDown);
  EXPECT_EQ(NodeIn("IDLE+POWERED_DOWN").state, NodeState::kAsleep);
  EXPECT_EQ(NodeIn("ALLOCATED+POWERING_UP").state, NodeState::kWaking);
  EXPECT_EQ(NodeIn("IDLE+POWER_UP+POWERED_DOWN").state, NodeState::kWaking);
  EXPECT_EQ(NodeIn("DOWN+POWERED_DOWN").state, NodeState::kDown);
  EXPECT_EQ(NodeIn("DOWN*+DRAIN").state, NodeState::kDown);
  EXPECT_FALSE(NodeIn("DOWN*+DRAIN").is_responding);
  EXPECT_TRUE(NodeIn("DOWN*+DRAIN").is_draining);
  EXPECT_FALSE(NodeIn("IDLE+NOT_RESPONDING").is_responding);
  EXPECT_TRUE(NodeIn("IDLE+MAINTENANCE+RESERVED").is_in_maintenance);
  EXPECT_TRUE(NodeIn("IDLE+RESERVED").is_reserved);
  EXPECT_EQ(NodeIn("IDLE+DRAIN+POWERED_DOWN").state, NodeState::kAsleep);
  EXPECT_EQ(NodeIn("DREAMING").state, NodeState::kUnknown);
}

TEST(SlurmNodes, TakesNoValueFromAReason) {
  const auto parsed = ParseNodes(
      "NodeName=n1 Gres=gpu:4 CPUTot=8 State=IDLE+DRAIN Partitions=p Reason=see State=DOWN NodeName=n2 [root@1]\n");
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->nodes.size(), 1u);
  EXPECT_EQ(parsed->nodes[0].state, NodeState::kIdle);
  EXPECT_EQ(parsed->nodes[0].reason, "see State=DOWN NodeName=n2");
}

TEST(SlurmNodes, RefusesWhatIsNoNode) {
  for (const char* text :
       {"slurm_load_node error\n", "NodeName=n1 CPUTot=4\n", "NodeName= State=IDLE\n", "NodeName=n1 CPUTo"}) {
    const auto parsed = ParseNodes(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kCorrupt);
  }
  EXPECT_TRUE(ParseNodes("")->nodes.empty());
  const auto twice = ParseNodes("NodeName=n1 State=IDLE\nNodeName=n1 State=DOWN\nNodeName=n2 State=DREAMING\n");
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->nodes.size(), 2u);
  EXPECT_THAT(twice->problems, ElementsAre(HasSubstr("listed twice"), HasSubstr("'DREAMING' is not known")));
}

}  // namespace
}  // namespace heliostat::cluster
