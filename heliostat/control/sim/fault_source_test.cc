#include "heliostat/control/sim/fault_source.h"

#include <gtest/gtest.h>

namespace heliostat::sim {
namespace {

Faults Frequent() {
  Faults faults;
  faults.node_mtbf = std::chrono::hours{10};
  faults.gpu_mtbf = std::chrono::hours{80};
  faults.wake_failure = 0.5;
  return faults;
}

std::vector<Duration> NodeFailures(FaultSource& source, std::size_t group, int node, int count) {
  std::vector<Duration> times;
  for (int i = 0; i < count; ++i) times.push_back(*source.UntilNodeFails(group, node));
  return times;
}

TEST(FaultSource, OneNodesFaultsDoNotDependOnAnothers) {
  const Faults faults = Frequent();
  FaultSource calm(7, faults);
  FaultSource busy(7, faults);
  for (int i = 0; i < 50; ++i) {
    (void)busy.WakeUpFails(0, 3);
    (void)busy.UntilNodeFails(1, 2);
    (void)busy.GpuThatFails(0, 0, 8);
    (void)busy.UntilGpuFails(0, 0, 8);
  }
  EXPECT_EQ(NodeFailures(calm, 0, 0, 20), NodeFailures(busy, 0, 0, 20));
}

TEST(FaultSource, NodesAndSeedsDiffer) {
  const Faults faults = Frequent();
  FaultSource one(7, faults);
  FaultSource other(8, faults);
  const auto first = NodeFailures(one, 0, 0, 5);
  EXPECT_NE(first, NodeFailures(one, 0, 1, 5));
  EXPECT_NE(first, NodeFailures(other, 0, 0, 5));
}

TEST(FaultSource, KeepsTheMeanTimeBetweenFailures) {
  const Faults faults = Frequent();
  FaultSource source(3, faults);
  double sum = 0.0;
  double of_gpus = 0.0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    sum += Seconds(*source.UntilNodeFails(0, 0)).count();
    of_gpus += Seconds(*source.UntilGpuFails(0, 0, 8)).count();
  }
  EXPECT_NEAR(sum / kDraws, 36000.0, 1000.0);
  EXPECT_NEAR(of_gpus / kDraws, 36000.0, 1000.0);  // eight GPUs fail eight times as often as one
}

TEST(FaultSource, WithoutFaultsNothingEverBreaks) {
  const Faults none;
  FaultSource source(1, none);
  EXPECT_FALSE(source.UntilNodeFails(0, 0));
  EXPECT_FALSE(source.UntilGpuFails(0, 0, 8));
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(source.WakeUpFails(0, 0));
}

TEST(FaultSource, EveryGpuOfANodeFailsNowAndThen) {
  const Faults faults = Frequent();
  FaultSource source(5, faults);
  std::vector<int> hits(8, 0);
  for (int i = 0; i < 8000; ++i) ++hits[static_cast<std::size_t>(source.GpuThatFails(0, 0, 8))];
  for (const int count : hits) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace heliostat::sim
