#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "heliostat/control/sim/comparison.h"
#include "heliostat/control/sim/testing/crowd.h"

namespace heliostat::sim {
namespace {

// A small version of benchmarks/crowd_bench.cc.
TEST(Crowd, NoPolicyThatKnowsDeadlinesMissesMoreThanEdf) {
  constexpr std::size_t kJobs = 16;
  constexpr std::size_t kSlots = 12;
  CompareOptions options;
  options.policies = {"edf", "chase", "wait-awhile", "carbon-scaler", "ca-rm-performance", "ce-dla"};
  options.with_bound = false;
  std::map<std::string, std::size_t> misses;
  for (testing::Crowd crowd : testing::kCrowds) {
    crowd.gpus = 16;
    const scenario::Scenario scenario = testing::CrowdedScenario(crowd, 1, kJobs, kSlots);
    const auto foresight = PerfectForesight(scenario, false);
    const auto comparison = Compare(scenario, *foresight, options);
    ASSERT_TRUE(comparison.has_value()) << comparison.error().Line();
    for (std::size_t i = 0; i < options.policies.size(); ++i) {
      misses[options.policies[i]] += comparison->figures[i].deadline_misses;
    }
  }
  EXPECT_GT(misses["edf"], 10U) << "the scenarios are not crowded";
  for (const auto& [policy, count] : misses) EXPECT_LE(count, misses["edf"]) << policy;
}

}  // namespace
}  // namespace heliostat::sim
