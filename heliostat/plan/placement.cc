#include "heliostat/plan/placement.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>

#include "heliostat/plan/progress.h"
#include "heliostat/plan/shelf.h"

namespace heliostat::plan {
namespace {

// Those that begin together come in the order in which they pack best: runs before replicas, which fit anywhere; large
// before small; those that stay long first.
bool ComesFirst(const Wish& a, const Wish& b) {
  const auto key = [](const Wish& w) {
    return std::tuple(w.span.begin, w.job == kReplicas, -w.gpus, -w.span.end.time_since_epoch().count(), w.job);
  };
  return key(a) < key(b);
}

// The job's runs: adjoining segments with as many workers in the same group.
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
      here.push_back({job, span, workers});
    }
    last_group = segment.group;
  }
}

std::vector<std::vector<Wish>> WishesOf(const scenario::Scenario& scenario, const Plan& plan) {
  std::vector<std::vector<Wish>> wishes(scenario.groups.size());
  for (std::size_t job = 0; job < plan.jobs.size(); ++job) AddRuns(scenario, plan, job, wishes);
  std::vector<int> replicas(scenario.groups.size());
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    std::fill(replicas.begin(), replicas.end(), 0);
    for (const ServicePlan& service : plan.services)
      replicas[service.slots[slot].group] += service.slots[slot].replicas;
    for (std::size_t group = 0; group < wishes.size(); ++group) {
      if (replicas[group] > 0) wishes[group].push_back({kReplicas, scenario.SlotSpan(slot), replicas[group]});
    }
  }
  for (std::vector<Wish>& of_group : wishes) std::sort(of_group.begin(), of_group.end(), ComesFirst);
  return wishes;
}

// The nodes of one group as time goes by. Whoever begins takes GPUs that are free at that second and keeps them until
// it ends, so all fit whenever no second has more in use than there are. Should one have, nodes beyond the group's are
// opened, for the caller to see.
class Rack {
 public:
  Rack(const scenario::Scenario& scenario, std::size_t group, Placement& placement)
      : scenario_(scenario),
        group_(group),
        size_(std::max(1, scenario.groups[group].gpus_per_node)),
        placement_(placement),
        nodes_(static_cast<std::size_t>(scenario.groups[group].nodes), Node{size_, {}, kNever}),
        free_(size_ * scenario.groups[group].nodes),
        change_(scenario.slots + 1, 0) {}

  void Put(const Wish& wish) {
    FreeUntil(wish.span.begin);
    slot_ = SlotOf(wish.span.begin);
    while (free_ < wish.gpus) {
      nodes_.push_back({size_, {}, kNever});
      free_ += size_;
    }
    if (wish.job == kReplicas || !PutWhole(wish)) PutAnywhere(wish, wish.gpus);
  }

  std::vector<int> NodesNeeded() const {
    std::vector<int> needed(scenario_.slots);
    std::partial_sum(change_.begin(), change_.end() - 1, needed.begin());
    return needed;
  }

 private:
  struct Node {
    int free;
    Instant empty_at;        // the latest end of what it holds or held
    std::int64_t last_slot;  // in which it holds something, as far as known by now
  };
  static constexpr std::int64_t kNever = -2;  // neither the slot before the first
  struct Release {
    Instant at;
    std::size_t node;
    int gpus;
    bool operator>(const Release& other) const { return at > other.at; }
  };

  std::int64_t SlotOf(Instant t) const { return (t - scenario_.start) / scenario_.step; }

  void FreeUntil(Instant now) {
    while (!releases_.empty() && releases_.top().at <= now) {
      nodes_[releases_.top().node].free += releases_.top().gpus;
      free_ += releases_.top().gpus;
      releases_.pop();
    }
  }

  // Smaller is better. First what the run adds to the slots that the node is on in, then whether it must be woken: a
  // node that held something in the slot before need not. Then the node that falls empty when the run ends, or soon
  // after, and the one with the least room to spare.
  auto Badness(std::size_t index, const Interval& span) const {
    const Node& node = nodes_[index];
    const std::int64_t last = SlotOf(span.end - Duration{1});
    const std::int64_t added = std::max<std::int64_t>(0, last - std::max(node.last_slot, slot_ - 1));
    const bool wakes = node.last_slot < slot_ - 1;
    const std::int64_t apart = std::abs((node.empty_at - span.end).count());
    return std::tuple(added, wakes, apart, node.free, index);
  }

  // The best node with at least `gpus` free, or nodes_.size().
  std::size_t BestNode(const Interval& span, int gpus) const {
    std::size_t best = nodes_.size();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].free < gpus) continue;
      if (best == nodes_.size() || Badness(i, span) < Badness(best, span)) best = i;
    }
    return best;
  }

  // On as few nodes as can be: all of it, or whole nodes and one for the rest. Changes nothing when it cannot.
  bool PutWhole(const Wish& wish) {
    const int whole = wish.gpus > size_ ? wish.gpus / size_ : 0;
    const int rest = wish.gpus - whole * size_;
    const auto empty = std::count_if(nodes_.begin(), nodes_.end(), [&](const Node& n) { return n.free == size_; });
    if (whole > 0 && empty < whole) return false;
    if (whole == 0 && BestNode(wish.span, rest) == nodes_.size()) {
      ++placement_.spread_runs;
      return false;
    }
    for (int i = 0; i < whole; ++i) Take(wish, BestNode(wish.span, size_), size_);
    if (rest == 0) return true;
    const std::size_t node = BestNode(wish.span, rest);
    if (node < nodes_.size()) {
      Take(wish, node, rest);
    } else {
      PutAnywhere(wish, rest);
    }
    return true;
  }

  void PutAnywhere(const Wish& wish, int gpus) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].free > 0) order.push_back(i);
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return Badness(a, wish.span) < Badness(b, wish.span); });
    for (const std::size_t node : order) {
      if (gpus == 0) break;
      const int taken = std::min(gpus, nodes_[node].free);
      Take(wish, node, taken);
      gpus -= taken;
    }
  }

  void Take(const Wish& wish, std::size_t index, int gpus) {
    Node& node = nodes_[index];
    node.free -= gpus;
    free_ -= gpus;
    node.empty_at = std::max(node.empty_at, wish.span.end);
    releases_.push({wish.span.end, index, gpus});
    const std::int64_t first = std::max(slot_, node.last_slot + 1);
    const std::int64_t last = SlotOf(wish.span.end - Duration{1});
    if (first <= last) {
      ++change_[static_cast<std::size_t>(first)];
      --change_[static_cast<std::size_t>(last) + 1];
      node.last_slot = last;
    }
    if (wish.job == kReplicas) return;
    placement_.holds.push_back({wish.job, wish.span, group_, static_cast<int>(index), gpus});
  }

  const scenario::Scenario& scenario_;
  std::size_t group_;
  int size_;
  Placement& placement_;
  std::vector<Node> nodes_;
  int free_;
  std::int64_t slot_ = 0;
  std::vector<int> change_;  // of the nodes needed, from the slot before
  std::priority_queue<Release, std::vector<Release>, std::greater<>> releases_;
};

}  // namespace

Placement Place(const scenario::Scenario& scenario, const Plan& plan) {
  Placement placement;
  const std::vector<std::vector<Wish>> wishes = WishesOf(scenario, plan);
  for (std::size_t group = 0; group < wishes.size(); ++group) {
    Placement by_start;
    Rack rack(scenario, group, by_start);
    for (const Wish& wish : wishes[group]) rack.Put(wish);
    std::vector<int> needed = rack.NodesNeeded();
    auto by_length = PackByLength(scenario, group, wishes[group]);
    const auto total = [](const std::vector<int>& nodes) { return std::accumulate(nodes.begin(), nodes.end(), 0L); };
    if (by_length && total(by_length->nodes_needed) < total(needed)) {
      needed = std::move(by_length->nodes_needed);
      by_start.holds = std::move(by_length->holds);
      by_start.spread_runs = 0;
    }
    placement.nodes_needed.push_back(std::move(needed));
    placement.holds.insert(placement.holds.end(), by_start.holds.begin(), by_start.holds.end());
    placement.spread_runs += by_start.spread_runs;
  }
  return placement;
}

}  // namespace heliostat::plan
