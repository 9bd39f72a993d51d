#include "heliostat/plan/shelf.h"

#include <algorithm>
#include <numeric>

namespace heliostat::plan {
namespace {

class Shelf {
 public:
  Shelf(const scenario::Scenario& scenario, std::size_t group)
      : scenario_(scenario), facts_(scenario.groups[group]), group_(group) {}

  bool Put(const Wish& wish) {
    const std::size_t first = SlotOf(wish.span.begin);
    const std::size_t last = SlotOf(wish.span.end - Duration{1});
    std::size_t best = nodes_.size();
    long least = static_cast<long>(last - first + 1) * kAdded;  // a fresh node is on in all of them
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const long badness = Badness(nodes_[i], wish, first, last, least);
      if (badness >= least) continue;
      least = badness;
      best = i;
    }
    if (best == nodes_.size()) {
      if (nodes_.size() == static_cast<std::size_t>(facts_.nodes)) return false;
      nodes_.push_back({std::vector<int>(scenario_.slots, 0), {}});
    }
    Node& node = nodes_[best];
    for (std::size_t t = first; t <= last; ++t) node.touched[t] += wish.gpus;
    node.holds.push_back(wish);
    return true;
  }

  Packed Finish(const std::vector<int>& replicas) const {
    Packed packed;
    for (std::size_t t = 0; t < scenario_.slots; ++t) {
      int on = 0;
      int room = 0;
      for (const Node& node : nodes_) {
        if (node.touched[t] == 0) continue;
        ++on;
        room += facts_.gpus_per_node - Peak(node, scenario_.SlotSpan(t));
      }
      const int beyond = std::max(0, replicas[t] - room);
      packed.nodes_needed.push_back(on + (beyond + facts_.gpus_per_node - 1) / facts_.gpus_per_node);
    }
    const std::vector<std::vector<int>> names = NamesBySlot(packed.nodes_needed);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (const Wish& wish : nodes_[i].holds) {
        packed.holds.push_back({wish.job, wish.span, group_, names[SlotOf(wish.span.begin)][i], wish.gpus});
      }
    }
    return packed;
  }

 private:
  static constexpr long kAdded = 1000;  // of one slot more that a node is on in, against GPUs left unused

  struct Node {
    std::vector<int> touched;  // [slot]: GPUs of all that runs at any second of it
    std::vector<Wish> holds;
  };

  bool IsTouched(std::size_t node, std::size_t slot) const {
    return node < nodes_.size() && nodes_[node].touched[slot] > 0;
  }

  // Which of the group's nodes each of ours is, [slot][ours]. Two that are empty on either side of a slot's beginning
  // may change names there: so none is woken while one that was on goes to sleep, and the nodes woken are as many as
  // the increase of the count, which is what is charged.
  std::vector<std::vector<int>> NamesBySlot(const std::vector<int>& needed) const {
    const auto count = static_cast<std::size_t>(facts_.nodes);
    std::vector<int> names(count);
    std::iota(names.begin(), names.end(), 0);
    std::vector<bool> on(count, true);  // by name, in the slot before; every node is on at the start
    std::vector<std::vector<int>> by_slot;
    for (std::size_t t = 0; t < scenario_.slots; ++t) {
      SwapForThoseOn(t, on, names);
      on = NamesOn(t, needed[t], on, names);
      by_slot.push_back(names);
    }
    return by_slot;
  }

  void SwapForThoseOn(std::size_t slot, const std::vector<bool>& on, std::vector<int>& names) const {
    const auto was_on = [&](std::size_t node) { return on[static_cast<std::size_t>(names[node])]; };
    std::size_t spare = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!IsTouched(i, slot) || was_on(i)) continue;
      while (spare < names.size() && (IsTouched(spare, slot) || !was_on(spare))) ++spare;
      if (spare == names.size()) return;
      std::swap(names[i], names[spare]);
    }
  }

  // Those with runs, and for replicas beyond their room those that were on before.
  std::vector<bool> NamesOn(std::size_t slot, int needed, const std::vector<bool>& before,
                            const std::vector<int>& names) const {
    std::vector<bool> on(names.size(), false);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!IsTouched(i, slot)) continue;
      on[static_cast<std::size_t>(names[i])] = true;
      --needed;
    }
    for (const bool asleep_too : {false, true}) {
      for (std::size_t name = 0; name < on.size() && needed > 0; ++name) {
        if (on[name] || (!before[name] && !asleep_too)) continue;
        on[name] = true;
        --needed;
      }
    }
    return on;
  }

  std::size_t SlotOf(Instant t) const { return static_cast<std::size_t>((t - scenario_.start) / scenario_.step); }

  // The most GPUs in use at any second of the span.
  static int Peak(const Node& node, const Interval& span) {
    int most = 0;
    for (const Wish& one : node.holds) {
      if (one.span.Intersect(span).empty()) continue;
      const Instant at = std::max(one.span.begin, span.begin);  // a peak is reached where something begins
      int used = 0;
      for (const Wish& other : node.holds) used += other.span.Contains(at) ? other.gpus : 0;
      most = std::max(most, used);
    }
    return most;
  }

  // Slots that the node would have to be on in only for this run, then GPUs that stay unused beside it. At least
  // `enough` when it does not fit.
  long Badness(const Node& node, const Wish& wish, std::size_t first, std::size_t last, long enough) const {
    long badness = 0;
    bool crowded = false;
    for (std::size_t t = first; t <= last; ++t) {
      if (node.touched[t] == 0) {
        badness += kAdded;
      } else {
        crowded = crowded || node.touched[t] + wish.gpus > facts_.gpus_per_node;
        badness += std::max(0, facts_.gpus_per_node - node.touched[t] - wish.gpus);
      }
      if (badness >= enough) return enough;
    }
    return crowded && Peak(node, wish.span) + wish.gpus > facts_.gpus_per_node ? enough : badness;
  }

  const scenario::Scenario& scenario_;
  const scenario::Group& facts_;
  std::size_t group_;
  std::vector<Node> nodes_;
};

}  // namespace

std::optional<Packed> PackByLength(const scenario::Scenario& scenario, std::size_t group,
                                   const std::vector<Wish>& wishes) {
  std::vector<int> replicas(scenario.slots, 0);
  std::vector<Wish> runs;
  const int size = scenario.groups[group].gpus_per_node;
  for (const Wish& wish : wishes) {
    if (wish.job != kReplicas) {
      // A run larger than a node takes whole nodes, and one more for the rest.
      for (int left = wish.gpus; left > 0; left -= size) runs.push_back({wish.job, wish.span, std::min(left, size)});
    } else {
      replicas[static_cast<std::size_t>((wish.span.begin - scenario.start) / scenario.step)] = wish.gpus;
    }
  }
  std::ranges::stable_sort(runs, [](const Wish& a, const Wish& b) { return a.span.length() > b.span.length(); });
  Shelf shelf(scenario, group);
  for (const Wish& run : runs) {
    if (!shelf.Put(run)) return std::nullopt;
  }
  Packed packed = shelf.Finish(replicas);
  const int nodes = scenario.groups[group].nodes;
  if (std::ranges::any_of(packed.nodes_needed, [&](int n) { return n > nodes; })) return std::nullopt;
  return packed;
}

}  // namespace heliostat::plan
