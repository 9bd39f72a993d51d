#include "heliostat/control/cluster/node_classes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "heliostat/model/profile/library.h"

namespace heliostat::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ClusterSnapshot Snapshot(const std::vector<GpusByType>& nodes) {
  ClusterSnapshot snapshot;
  for (const GpusByType& gpus : nodes) {
    ClusterNode node;
    node.name = fmt::format("n{}", snapshot.nodes.size() + 1);
    node.gpus = gpus;
    snapshot.nodes.push_back(node);
  }
  return snapshot;
}

TEST(NodeClasses, GroupsNodesByTypeAndNumberOfGpus) {
  const auto classes = GroupsFrom(Snapshot({{{"a40", 4}}, {{"h100", 8}}, {{"a40", 4}}, {{"a40", 8}}}));
  ASSERT_EQ(classes.size(), 3u);
  EXPECT_EQ(classes[0].group.name, "a40-4");
  EXPECT_EQ(classes[0].group.gpu, "A40");
  EXPECT_EQ(classes[0].group.nodes, 2);
  EXPECT_EQ(classes[0].group.gpus_per_node, 4);
  EXPECT_THAT(classes[0].nodes, ElementsAre("n1", "n3"));
  EXPECT_EQ(classes[1].group.name, "h100");
  EXPECT_EQ(classes[2].group.name, "a40-8");
}

TEST(NodeClasses, TakesWattsFromTheLibraryWhereItHasTheGpu) {
  const auto classes = GroupsFrom(Snapshot({{{"nvidia_a100-sxm4-80gb", 4}}, {{"xpu9000", 4}}}));
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_TRUE(classes[0].has_watts);
  EXPECT_EQ(classes[0].group.node_base, profile::GroupOf("A100", 1, 4).node_base);
  EXPECT_GT(classes[0].group.gpu_idle.value, 0.0);
  EXPECT_GT(classes[0].gpu_busy, classes[0].group.gpu_idle);
  EXPECT_GT(classes[0].gpu_busy_error, 0.0);
  EXPECT_EQ(classes[1].gpu_busy, Watts{0});
  EXPECT_FALSE(classes[1].has_watts);
  EXPECT_EQ(classes[1].group.gpu, "xpu9000");
  EXPECT_EQ(classes[1].group.node_base, Watts{0});
}

TEST(NodeClasses, LeavesOutNodesWithoutGpusAndWithSeveralTypes) {
  EXPECT_THAT(GroupsFrom(Snapshot({{}, {{"a40", 2}, {"a100", 2}}})), IsEmpty());
}

TEST(NodeClasses, KnowsGpusByManyNames) {
  for (const auto& [type, gpu] : std::vector<std::pair<const char*, const char*>>{{"a100", "A100"},
                                                                                  {"A100-SXM4-40GB", "A100"},
                                                                                  {"tesla_v100", "V100"},
                                                                                  {"rtx4090", "RTX4090"},
                                                                                  {"geforce_rtx_4090", "RTX4090"},
                                                                                  {"nvidia_h100_80gb_hbm3", "H100"},
                                                                                  {"gh200", ""},
                                                                                  {"a10", ""},
                                                                                  {"", ""}}) {
    EXPECT_EQ(LibraryGpu(type), gpu) << type;
  }
}

RC_GTEST_PROP(NodeClassesLaws, EveryNodeWithOneTypeIsInOneGroupAndNamesDiffer, ()) {
  const auto types = *rc::gen::container<std::vector<std::pair<std::string, int>>>(rc::gen::pair(
      rc::gen::element<std::string>("a40", "A40", "tesla_a40", "a40-4", "x", ""), rc::gen::inRange(1, 4)));
  std::vector<GpusByType> nodes;
  for (const auto& [type, count] : types) nodes.push_back({{type, count}});
  const auto classes = GroupsFrom(Snapshot(nodes));
  std::size_t found = 0;
  std::set<std::string> names;
  for (const NodeClass& c : classes) {
    found += c.nodes.size();
    RC_ASSERT(static_cast<std::size_t>(c.group.nodes) == c.nodes.size());
    RC_ASSERT(names.insert(c.group.name).second);
  }
  RC_ASSERT(found == nodes.size());
}

}  // namespace
}  // namespace heliostat::cluster
