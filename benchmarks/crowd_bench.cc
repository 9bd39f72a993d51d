// Counts the deadlines that every policy misses on crowded clusters.
//
//     crowd_bench [SEEDS [JOBS [SLOTS [POLICY...]]]]
//
// One row per kind of crowd: misses of each policy over all seeds, and their weight. Exit status 1 when a policy misses
// more than `edf` in total, other than those that serve first come, first served.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "heliostat/control/policy/catalog.h"
#include "heliostat/control/sim/comparison.h"
#include "heliostat/control/sim/testing/crowd.h"

namespace {

using namespace heliostat;

struct Tally {
  std::size_t misses = 0;
  double weight = 0.0;
  double wall_s = 0.0;
};

Tally TallyOf(const scenario::Scenario& scenario, const sim::SimulatedRun& run) {
  Tally tally{0, 0.0, run.wall_s};
  for (std::size_t j = 0; j < run.jobs.size(); ++j) {
    const scenario::Job& job = scenario.jobs[j];
    if (!job.deadline || *job.deadline > scenario.end()) continue;
    if (run.jobs[j].finish && *run.jobs[j].finish <= *job.deadline) continue;
    ++tally.misses;
    tally.weight += job.weight;
  }
  return tally;
}

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 5;
  const std::size_t jobs = argc > 2 ? static_cast<std::size_t>(std::atoi(argv[2])) : 80;
  const std::size_t slots = argc > 3 ? static_cast<std::size_t>(std::atoi(argv[3])) : 48;
  sim::CompareOptions options;
  for (int i = 4; i < argc; ++i) options.policies.emplace_back(argv[i]);
  if (options.policies.empty()) {
    for (const policy::Info& info : policy::AllPolicies()) options.policies.emplace_back(info.name);
  }
  options.with_bound = false;
  options.threads = 0;
  std::map<std::string, Tally> total;
  for (const sim::testing::Crowd& crowd : sim::testing::kCrowds) {
    std::map<std::string, Tally> here;
    for (int seed = 1; seed <= seeds; ++seed) {
      const scenario::Scenario scenario =
          sim::testing::CrowdedScenario(crowd, static_cast<std::uint64_t>(seed), jobs, slots);
      const auto foresight = sim::PerfectForesight(scenario, false);
      const auto comparison = sim::Compare(scenario, *foresight, options);
      if (!comparison) {
        fmt::print(stderr, "{}\n", comparison.error().Line());
        return 2;
      }
      for (const sim::SimulatedRun& run : comparison->runs) {
        const Tally tally = TallyOf(scenario, run);
        for (auto* const sum : {&here[run.policy], &total[run.policy]}) {
          sum->misses += tally.misses;
          sum->weight += tally.weight;
          sum->wall_s += tally.wall_s;
        }
      }
    }
    fmt::print("{:<20}", crowd.name);
    for (const std::string& policy : options.policies) {
      fmt::print("  {} {} ({:g})", policy, here[policy].misses, here[policy].weight);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
  fmt::print("\n{:<20} {:>8} {:>8} {:>8}\n", "total", "misses", "weight", "s");
  for (const std::string& policy : options.policies) {
    fmt::print("{:<20} {:>8} {:>8g} {:>8.1f}\n", policy, total[policy].misses, total[policy].weight,
               total[policy].wall_s);
  }
  const std::set<std::string> first_come{"run-now", "zeus", "fastest-node", "least-energy"};
  const bool is_worse = std::ranges::any_of(total, [&](const auto& item) {
    return total.contains("edf") && !first_come.contains(item.first) && item.second.misses > total["edf"].misses;
  });
  return is_worse ? 1 : 0;
}
