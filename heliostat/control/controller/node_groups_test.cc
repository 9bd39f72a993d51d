#include "heliostat/control/controller/node_groups.h"

#include <gtest/gtest.h>

namespace heliostat::controller {
namespace {

class NodeGroupsTest : public ::testing::Test {
 protected:
  void Add(const std::string& name, const std::string& type, int gpus) {
    cluster::ClusterNode node;
    node.name = name;
    node.state = cluster::NodeState::kIdle;
    if (gpus > 0) node.gpus = {{type, gpus}};
    snapshot_.nodes.push_back(std::move(node));
  }
  GroupConfig Configured(const std::string& name, const std::string& gpu, std::vector<std::string> nodes) {
    GroupConfig group;
    group.group.name = name;
    group.group.gpu = gpu;
    group.group.nodes = static_cast<int>(nodes.size());
    group.group.gpus_per_node = 4;
    group.group.node_base = Watts{100};
    group.nodes = std::move(nodes);
    group.gpu_busy = Watts{250};
    return group;
  }

  Config config_;
  cluster::ClusterSnapshot snapshot_;
};

TEST_F(NodeGroupsTest, ComeFromTheTypesOfGpus) {
  Add("a1", "a100", 8);
  Add("a2", "a100", 8);
  Add("v1", "v100", 4);
  Add("c1", "", 0);
  NodeGroups groups(config_);
  EXPECT_TRUE(groups.Follow(snapshot_));
  ASSERT_EQ(groups.groups().size(), 2U);
  EXPECT_EQ(groups.groups()[0].group.nodes, 2);
  EXPECT_TRUE(groups.groups()[0].is_estimated);
  EXPECT_GT(groups.groups()[0].gpu_busy.value, groups.groups()[0].group.gpu_idle.value);
  EXPECT_EQ(groups.Of("a2"), 0U);
  EXPECT_EQ(groups.Of("c1"), std::nullopt);
  EXPECT_EQ(groups.OfAll(std::vector<std::string>{"a1", "v1"}), std::nullopt);
  EXPECT_FALSE(groups.Follow(snapshot_));
}

TEST_F(NodeGroupsTest, KeepTheirPlaceWhenNodesGo) {
  Add("a1", "a100", 8);
  Add("v1", "v100", 4);
  NodeGroups groups(config_);
  groups.Follow(snapshot_);
  snapshot_.nodes.erase(snapshot_.nodes.begin());
  EXPECT_TRUE(groups.Follow(snapshot_));
  ASSERT_EQ(groups.groups().size(), 2U);
  EXPECT_EQ(groups.groups()[0].group.nodes, 0);
  EXPECT_EQ(groups.Of("v1"), 1U);
}

TEST_F(NodeGroupsTest, TellOfAGpuWithoutWatts) {
  Add("x1", "mystery", 2);
  NodeGroups groups(config_);
  groups.Follow(snapshot_);
  ASSERT_EQ(groups.remarks().size(), 1U);
  EXPECT_NE(groups.remarks()[0].find("mystery"), std::string::npos);
  EXPECT_EQ(groups.Spans(snapshot_)[0].power.gpu_busy.value, 0.0);
}

TEST_F(NodeGroupsTest, AreThoseOfTheConfig) {
  Add("n1", "a100", 4);
  Add("n2", "a100", 8);
  Add("n3", "v100", 4);
  config_.groups = {Configured("fast", "A100", {"n1", "n2", "n9"})};
  NodeGroups groups(config_);
  groups.Follow(snapshot_);
  ASSERT_EQ(groups.groups().size(), 1U);
  EXPECT_EQ(groups.groups()[0].group.nodes, 2);
  EXPECT_FALSE(groups.groups()[0].is_estimated);
  // A node with other GPUs, a node that is missing, and one in no group.
  EXPECT_EQ(groups.remarks().size(), 3U);
  EXPECT_DOUBLE_EQ(groups.Spans(snapshot_)[0].power.gpu_busy.value, 250.0);
}

TEST_F(NodeGroupsTest, FindTheirNodesByGpuWhereTheConfigNamesNone) {
  Add("n1", "nvidia_a100_80gb_pcie", 4);
  config_.groups = {Configured("fast", "A100", {})};
  config_.groups[0].group.nodes = 1;
  NodeGroups groups(config_);
  groups.Follow(snapshot_);
  EXPECT_EQ(groups.Of("n1"), 0U);
  EXPECT_TRUE(groups.remarks().empty());
}

}  // namespace
}  // namespace heliostat::controller
