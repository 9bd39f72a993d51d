#include "heliostat/planning/plan/repack.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "heliostat/planning/plan/pack_by_start.h"

namespace heliostat::plan {
namespace {

constexpr std::int64_t kStep = 10;  // seconds

Part RunOf(std::size_t number, std::int64_t begin, std::int64_t end, int gpus) {
  return {number, begin, end, static_cast<std::size_t>(begin / kStep), static_cast<std::size_t>((end - 1) / kStep),
          gpus};
}

// Nodes of four GPUs, slots that cost the same.
GroupLoad LoadOf(std::size_t slots, int nodes, std::vector<Part> runs) {
  GroupLoad load;
  load.nodes = nodes;
  load.gpus_per_node = 4;
  load.step = kStep;
  load.runs = std::move(runs);
  load.replicas.assign(slots, 0);
  load.fewest.assign(slots, 0);
  load.cost.assign(slots, 1.0);
  load.missing = 100.0;
  load.spread = 0.5;
  return load;
}

GroupLoad AnyLoad() {
  std::vector<Part> runs;
  const int count = *rc::gen::inRange(0, 25);
  for (int i = 0; i < count; ++i) {
    const std::int64_t begin = *rc::gen::inRange(0, 75);
    const std::int64_t end = std::min<std::int64_t>(80, begin + *rc::gen::inRange(1, 40));
    runs.push_back(RunOf(runs.size(), begin, end, *rc::gen::element(1, 1, 2, 3, 4, 6, 9)));
  }
  GroupLoad load = LoadOf(8, *rc::gen::inRange(2, 20), std::move(runs));
  for (double& cost : load.cost) cost = *rc::gen::element(0.01, 0.5, 1.0, 2.0);
  for (int& replicas : load.replicas) replicas = *rc::gen::element(0, 0, 1, 7);
  return load;
}

std::vector<int> NodesOn(const GroupLoad& load, const std::vector<Stretch>& stretches) {
  std::vector<int> on(load.cost.size(), 0);
  for (const Stretch& stretch : stretches) {
    for (std::size_t t = stretch.first(); t <= stretch.last(); ++t) ++on[t];
  }
  return on;
}

// The cost of a packing; spread runs count by the number of parts.
double CostOf(const GroupLoad& load, const std::vector<Stretch>& stretches) {
  const std::vector<int> on = NodesOn(load, stretches);
  double cost = 0.0;
  for (std::size_t t = 0; t < on.size(); ++t) {
    const std::int64_t begin = static_cast<std::int64_t>(t) * kStep;
    int held = 0;
    for (const Stretch& stretch : stretches) held += stretch.Peak(begin, begin + kStep);
    const int for_all = (held + load.replicas[t] + load.gpus_per_node - 1) / load.gpus_per_node;
    const int needed = load.replicas[t] > 0 ? std::max(on[t], for_all) : on[t];
    cost += load.cost[t] * needed + load.missing * std::max(0, needed - load.nodes);
  }
  for (const Stretch& stretch : stretches) cost += load.spread * static_cast<double>(stretch.parts().size());
  return cost;
}

std::vector<Stretch> Repacked(const GroupLoad& load, std::vector<Stretch> stretches) {
  Repack(load, stretches);
  return stretches;
}

TEST(RepackTest, FindsWhatByLengthMisses) {
  // Longest first puts the first two together, though only one of them ends with the fifth and the seventh.
  const GroupLoad load = LoadOf(6, 4,
                                {RunOf(0, 0, 60, 2), RunOf(1, 0, 50, 2), RunOf(2, 0, 50, 1), RunOf(3, 0, 40, 1),
                                 RunOf(4, 20, 60, 2), RunOf(5, 0, 20, 2), RunOf(6, 30, 60, 2)});
  EXPECT_EQ(NodesOn(load, PackByLength(load)), (std::vector<int>{2, 2, 2, 3, 3, 3}));
  EXPECT_EQ(NodesOn(load, Repacked(load, PackByLength(load))), (std::vector<int>{2, 2, 2, 3, 3, 2}));
}

TEST(RepackTest, SpreadsARunOnlyWhenThatIsWorthIt) {
  GroupLoad load = LoadOf(2, 4, {RunOf(0, 0, 20, 3), RunOf(1, 0, 20, 3), RunOf(2, 0, 10, 2)});
  EXPECT_EQ(NodesOn(load, Repacked(load, PackByLength(load))), (std::vector<int>{2, 2}));
  load.spread = 1.5;
  EXPECT_EQ(NodesOn(load, Repacked(load, PackByLength(load))), (std::vector<int>{3, 2}));
}

TEST(RepackTest, MakesRoomForReplicas) {
  // Two nodes that are full for half a slot each leave no GPU for all of it; one after the other they share a node.
  GroupLoad load = LoadOf(1, 4, {RunOf(0, 0, 5, 2), RunOf(1, 5, 10, 2), RunOf(2, 0, 5, 2), RunOf(3, 5, 10, 2)});
  load.replicas = {4};
  load.fewest = {2};
  std::vector<Stretch> apart(2);
  apart[0].Add(load.runs[0]);
  apart[0].Add(load.runs[2]);
  apart[1].Add(load.runs[1]);
  apart[1].Add(load.runs[3]);
  Repack(load, apart);
  EXPECT_EQ(apart.size(), 1U);
}

RC_GTEST_PROP(RepackLaw, IsNeverDearerThanBefore, ()) {
  const GroupLoad load = AnyLoad();
  for (const auto& stretches : {PackByLength(load), PackByStart(load)}) {
    RC_ASSERT(CostOf(load, Repacked(load, stretches)) <= CostOf(load, stretches) + 1e-6);
  }
}

RC_GTEST_PROP(RepackLaw, EveryRunKeepsItsGpusAndItsTime, ()) {
  const GroupLoad load = AnyLoad();
  std::map<std::size_t, int> gpus;
  for (const Stretch& stretch : Repacked(load, PackByStart(load))) {
    RC_ASSERT(!stretch.empty());
    for (const Part& part : stretch.parts()) {
      RC_ASSERT(part.gpus > 0);
      RC_ASSERT(part.begin == load.runs[part.run].begin);
      RC_ASSERT(part.end == load.runs[part.run].end);
      gpus[part.run] += part.gpus;
    }
  }
  for (const Part& run : load.runs) RC_ASSERT(gpus[run.run] == run.gpus);
}

RC_GTEST_PROP(RepackLaw, NoNodeIsOverFullOrOnForNothing, ()) {
  const GroupLoad load = AnyLoad();
  for (const Stretch& stretch : Repacked(load, PackByLength(load))) {
    RC_ASSERT(stretch.Peak(0, 80) <= load.gpus_per_node);
    for (std::size_t t = stretch.first(); t <= stretch.last(); ++t) {
      const std::int64_t begin = static_cast<std::int64_t>(t) * kStep;
      RC_ASSERT(stretch.Peak(begin, begin + kStep) > 0);
    }
  }
}

}  // namespace
}  // namespace heliostat::plan
