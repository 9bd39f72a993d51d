#include "heliostat/planning/plan/placement.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "heliostat/base/core/check.h"
#include "heliostat/planning/plan/pack_by_start.h"
#include "heliostat/planning/plan/progress.h"
#include "heliostat/planning/plan/repack.h"

namespace heliostat::plan {
namespace {

// Costs, in units of the mean cost of a node-slot.
constexpr double kLeastCost = 0.01;  // of a node-slot without cost: fewer nodes are still better
constexpr double kMissing = 1e3;
constexpr double kSpread = 0.5;

// With more runs, PackByLength() takes seconds, and PackByStart() comes as close to the optimum.
constexpr std::size_t kMostByLength = 20000;

// A run of a job.
struct Wish {
  std::size_t job = 0;
  Interval span;
  int gpus = 0;
  const std::vector<scenario::NodeShare>* nodes = nullptr;  // where it goes on, if it does
};

// Adds the job's runs: adjoining segments with as many workers in the same group.
void AddRuns(const scenario::Scenario& scenario, const Plan& plan, std::size_t job,
             std::vector<std::vector<Wish>>& wishes) {
  if (plan.jobs[job].segments.empty()) return;
  const TrainingTable table(scenario, scenario.jobs[job].model);
  std::size_t last_group = scenario.groups.size();
  for (const Segment& segment : plan.jobs[job].segments) {
    const Interval span = segment.span.Intersect(scenario.horizon());
    if (span.empty()) continue;
    const int workers = table.At(segment).workers;
    std::vector<Wish>& here = wishes[segment.group];
    const bool continues = segment.group == last_group && !here.empty() && here.back().job == job &&
                           here.back().span.end == span.begin && here.back().gpus == workers;
    if (continues) {
      here.back().span.end = span.end;
    } else {
      const scenario::Job& who = scenario.jobs[job];
      const bool stays = GoesOn(who, segment.group, workers, span.begin) && !who.begun->nodes.empty();
      here.push_back({job, span, workers, stays ? &who.begun->nodes : nullptr});
    }
    last_group = segment.group;
  }
}

std::vector<int> ReplicasIn(const Plan& plan, std::size_t group, std::size_t slots) {
  std::vector<int> replicas(slots, 0);
  for (const ServicePlan& service : plan.services) {
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if (service.slots[slot].group == group) replicas[slot] += service.slots[slot].replicas;
    }
  }
  return replicas;
}

// [slot]: the fewest nodes with enough GPUs at every second.
std::vector<int> FewestNodes(const GroupLoad& load) {
  std::vector<std::pair<std::int64_t, int>> changes;
  for (const Part& run : load.runs) {
    changes.emplace_back(run.begin, run.gpus);
    changes.emplace_back(run.end, -run.gpus);
  }
  std::sort(changes.begin(), changes.end());  // in the same second, ends come before begins
  const std::size_t slots = load.replicas.size();
  std::vector<int> fewest;
  std::size_t next = 0;
  int used = 0;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const std::int64_t begin = static_cast<std::int64_t>(slot) * load.step;
    for (; next < changes.size() && changes[next].first <= begin; ++next) used += changes[next].second;
    int most = used;
    for (; next < changes.size() && changes[next].first < begin + load.step; ++next) {
      used += changes[next].second;
      most = std::max(most, used);
    }
    fewest.push_back((most + load.replicas[slot] + load.gpus_per_node - 1) / load.gpus_per_node);
  }
  return fewest;
}

// Costs in units of their mean, at least kLeastCost.
std::vector<double> Scaled(const std::vector<double>& costs) {
  double sum = 0.0;
  for (const double cost : costs) sum += std::max(0.0, cost);
  const double mean = sum > 0.0 ? sum / static_cast<double>(costs.size()) : 1.0;
  std::vector<double> scaled;
  scaled.reserve(costs.size());
  for (const double cost : costs) scaled.push_back(std::max(kLeastCost, cost / mean));
  return scaled;
}

GroupLoad LoadOf(const scenario::Scenario& scenario, std::size_t group, const std::vector<Wish>& wishes,
                 std::vector<int> replicas, const std::vector<double>& costs) {
  GroupLoad load;
  load.nodes = scenario.groups[group].nodes;
  load.gpus_per_node = std::max(1, scenario.groups[group].gpus_per_node);
  load.step = scenario.step.count();
  for (const Wish& wish : wishes) {
    const std::int64_t begin = (wish.span.begin - scenario.start).count();
    const std::int64_t end = (wish.span.end - scenario.start).count();
    load.runs.push_back({load.runs.size(), begin, end, static_cast<std::size_t>(begin / load.step),
                         static_cast<std::size_t>((end - 1) / load.step), wish.gpus});
    if (wish.nodes == nullptr) continue;
    for (const scenario::NodeShare& share : *wish.nodes) {
      load.runs.back().node = share.node;
      load.pinned.push_back(load.runs.back());
      load.pinned.back().gpus = share.gpus;
    }
  }
  load.replicas = std::move(replicas);
  load.fewest = FewestNodes(load);
  load.cost = Scaled(costs);
  load.missing = kMissing;
  load.spread = kSpread;
  return load;
}

// [slot]: nodes that hold a run or a replica. Replicas take free GPUs of nodes with runs first, then other nodes.
std::vector<int> NodesNeeded(const GroupLoad& load, const std::vector<Stretch>& stretches) {
  std::vector<int> on(load.cost.size(), 0);
  std::vector<int> held(load.cost.size(), 0);
  for (const Stretch& stretch : stretches) {
    for (std::size_t t = stretch.first(); t <= stretch.last(); ++t) {
      const std::int64_t begin = static_cast<std::int64_t>(t) * load.step;
      ++on[t];
      held[t] += stretch.Peak(begin, begin + load.step);
    }
  }
  for (std::size_t t = 0; t < on.size(); ++t) {
    if (load.replicas[t] == 0) continue;
    on[t] = std::max(on[t], (held[t] + load.replicas[t] + load.gpus_per_node - 1) / load.gpus_per_node);
  }
  return on;
}

struct Packing {
  std::vector<Stretch> stretches;
  std::vector<int> needed;
  double cost = 0.0;
  bool fits = true;  // within the nodes of the group
};

Packing Weigh(const GroupLoad& load, std::vector<Stretch> stretches) {
  Packing packing{std::move(stretches), {}, 0.0, true};
  packing.needed = NodesNeeded(load, packing.stretches);
  for (std::size_t t = 0; t < load.cost.size(); ++t) {
    packing.cost += load.cost[t] * packing.needed[t];
    packing.fits = packing.fits && packing.needed[t] <= load.nodes;
  }
  return packing;
}

// Keeps the packing that fits; of two that fit, or do not, the cheaper one.
void KeepBetter(Packing& best, Packing other) {
  if (std::pair(!other.fits, other.cost) < std::pair(!best.fits, best.cost)) best = std::move(other);
}

Packing BestPacking(const GroupLoad& load) {
  Packing best = Weigh(load, PackByStart(load));
  if (load.runs.size() <= kMostByLength) KeepBetter(best, Weigh(load, PackByLength(load)));
  std::vector<Stretch> repacked = best.stretches;
  Repack(load, repacked);
  KeepBetter(best, Weigh(load, std::move(repacked)));
  return best;
}

// A node for each stretch. A stretch takes over the node of one that has just ended, so that no node wakes while
// another falls asleep; at first it takes one of the nodes that are up.
std::vector<int> NodesOf(const std::vector<Stretch>& stretches, const std::vector<bool>& is_up) {
  std::vector<std::size_t> order(stretches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(stretches[a].first(), stretches[a].node() < 0) <
           std::pair(stretches[b].first(), stretches[b].node() < 0);
  });
  std::vector<std::ptrdiff_t> free_from;  // [node]: slot; -1: asleep before the first
  free_from.reserve(is_up.size());
  for (const bool up : is_up) free_from.push_back(up ? 0 : -1);
  std::vector<int> nodes(stretches.size());
  for (const std::size_t i : order) {
    const auto first = static_cast<std::ptrdiff_t>(stretches[i].first());
    std::size_t best = free_from.size();
    for (std::size_t node = 0; node < free_from.size(); ++node) {
      if (free_from[node] > first) continue;
      if (best == free_from.size() || free_from[node] > free_from[best]) best = node;
    }
    if (stretches[i].node() >= 0) best = static_cast<std::size_t>(stretches[i].node());
    if (best == free_from.size()) free_from.push_back(0);
    free_from[best] = static_cast<std::ptrdiff_t>(stretches[i].last()) + 1;
    nodes[i] = static_cast<int>(best);
  }
  return nodes;
}

// Adds the holds of the group's runs to the placement.
void Tell(const GroupLoad& load, const std::vector<Wish>& wishes, std::size_t group, const Packing& packing,
          const std::vector<bool>& is_up, Placement& placement) {
  const std::vector<int> nodes = NodesOf(packing.stretches, is_up);
  std::vector<int> on_nodes(load.runs.size(), 0);
  for (std::size_t i = 0; i < packing.stretches.size(); ++i) {
    for (const Part& part : packing.stretches[i].parts()) {
      const Wish& wish = wishes[part.run];
      placement.holds.push_back({wish.job, wish.span, group, nodes[i], part.gpus});
      ++on_nodes[part.run];
    }
  }
  for (const Part& run : load.runs) {
    if (on_nodes[run.run] > (run.gpus + load.gpus_per_node - 1) / load.gpus_per_node) ++placement.spread_runs;
  }
  placement.nodes_needed.push_back(packing.needed);
}

}  // namespace

Placement Place(const scenario::Scenario& scenario, const Plan& plan, const std::vector<std::vector<double>>& costs) {
  Check(costs.size() == scenario.groups.size(), "the costs do not have one list per group");
  Placement placement;
  std::vector<std::vector<Wish>> wishes(scenario.groups.size());
  for (std::size_t job = 0; job < plan.jobs.size(); ++job) AddRuns(scenario, plan, job, wishes);
  for (std::size_t group = 0; group < wishes.size(); ++group) {
    Check(costs[group].size() == scenario.slots, "the costs do not have one value per slot");
    const GroupLoad load =
        LoadOf(scenario, group, wishes[group], ReplicasIn(plan, group, scenario.slots), costs[group]);
    const std::vector<bool> all_up(static_cast<std::size_t>(load.nodes), true);
    Tell(load, wishes[group], group, BestPacking(load), scenario.is_up.empty() ? all_up : scenario.is_up[group],
         placement);
  }
  return placement;
}

Placement Place(const scenario::Scenario& scenario, const Plan& plan) {
  return Place(scenario, plan, {scenario.groups.size(), std::vector<double>(scenario.slots, 1.0)});
}

}  // namespace heliostat::plan
