#include "heliostat/planning/plan/pack_by_start.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <queue>
#include <tuple>

namespace heliostat::plan {
namespace {

constexpr std::size_t kReplicas = std::numeric_limits<std::size_t>::max();  // Part::run of replicas

// By begin. At the same second in the order that packs best: runs before replicas, which fit anywhere; then large
// before small; then long before short.
bool ComesFirst(const Part& a, const Part& b) {
  const auto key = [](const Part& p) { return std::tuple(p.begin, p.run == kReplicas, -p.gpus, -p.end, p.run); };
  return key(a) < key(b);
}

std::vector<Part> InOrderOfBegin(const GroupLoad& load) {
  std::vector<Part> all;
  std::ranges::copy_if(load.runs, std::back_inserter(all), [](const Part& run) { return run.node < 0; });
  for (std::size_t t = 0; t < load.replicas.size(); ++t) {
    if (load.replicas[t] == 0) continue;
    const std::int64_t begin = static_cast<std::int64_t>(t) * load.step;
    all.push_back({kReplicas, begin, begin + load.step, t, t, load.replicas[t]});
  }
  std::sort(all.begin(), all.end(), ComesFirst);
  return all;
}

// The nodes of one group while parts are placed in order of their begin.
class Rack {
 public:
  explicit Rack(const GroupLoad& load)
      : size_(load.gpus_per_node),
        nodes_(static_cast<std::size_t>(load.nodes), Node{size_, 0, kNever, {}}),
        free_(size_ * load.nodes) {}

  // Call before Put().
  void Pin(const Part& part) { Take(part, static_cast<std::size_t>(part.node), part.gpus); }

  void Put(const Part& part) {
    FreeUntil(part.begin);
    while (free_ < part.gpus) {
      nodes_.push_back({size_, 0, kNever, {}});
      free_ += size_;
    }
    if (part.run == kReplicas || !PutWhole(part)) PutAnywhere(part, part.gpus);
  }

  std::vector<Stretch> Stretches() const {
    std::vector<Stretch> stretches;
    for (const Node& node : nodes_) {
      bool begun = false;
      for (const Part& part : node.held) {
        if (!begun || !stretches.back().Touches(part)) stretches.emplace_back();
        stretches.back().Add(part);
        begun = true;
      }
    }
    return stretches;
  }

 private:
  struct Node {
    int free;
    std::int64_t empty_at;   // the latest end of its parts so far
    std::int64_t last_slot;  // the last slot in which it holds a part so far
    std::vector<Part> held;  // parts of runs, in order of begin
  };
  static constexpr std::int64_t kNever = -2;  // also not the slot before the first
  struct Release {
    std::int64_t at;
    std::size_t node;
    int gpus;
    bool operator>(const Release& other) const { return at > other.at; }
  };

  void FreeUntil(std::int64_t now) {
    while (!releases_.empty() && releases_.top().at <= now) {
      nodes_[releases_.top().node].free += releases_.top().gpus;
      free_ += releases_.top().gpus;
      releases_.pop();
    }
  }

  // The node with the smallest value is best. In this order: the slots that the part adds to those in which the node is
  // on; whether the node must wake (not if it held a part in the slot before); the distance between the part's end and
  // the time at which the node becomes empty; the free GPUs.
  auto Badness(std::size_t index, const Part& part) const {
    const Node& node = nodes_[index];
    const auto first = static_cast<std::int64_t>(part.first);
    const auto last = static_cast<std::int64_t>(part.last);
    const std::int64_t added = std::max<std::int64_t>(0, last - std::max(node.last_slot, first - 1));
    const bool wakes = node.last_slot < first - 1;
    return std::tuple(added, wakes, std::abs(node.empty_at - part.end), node.free, index);
  }

  // The best node with at least `gpus` free, or nodes_.size().
  std::size_t BestNode(const Part& part, int gpus) const {
    std::size_t best = nodes_.size();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].free < gpus) continue;
      if (best == nodes_.size() || Badness(i, part) < Badness(best, part)) best = i;
    }
    return best;
  }

  // Puts the part on as few nodes as possible: on one, or on whole nodes and one for the rest. False, without a change,
  // when that is not possible.
  bool PutWhole(const Part& part) {
    const int whole = part.gpus > size_ ? part.gpus / size_ : 0;
    const int rest = part.gpus - whole * size_;
    const auto empty = std::count_if(nodes_.begin(), nodes_.end(), [&](const Node& n) { return n.free == size_; });
    if (whole > 0 && empty < whole) return false;
    if (whole == 0 && BestNode(part, rest) == nodes_.size()) return false;
    for (int i = 0; i < whole; ++i) Take(part, BestNode(part, size_), size_);
    if (rest == 0) return true;
    const std::size_t node = BestNode(part, rest);
    if (node < nodes_.size()) {
      Take(part, node, rest);
    } else {
      PutAnywhere(part, rest);
    }
    return true;
  }

  void PutAnywhere(const Part& part, int gpus) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].free > 0) order.push_back(i);
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return Badness(a, part) < Badness(b, part); });
    for (const std::size_t node : order) {
      if (gpus == 0) break;
      const int taken = std::min(gpus, nodes_[node].free);
      Take(part, node, taken);
      gpus -= taken;
    }
  }

  void Take(const Part& part, std::size_t index, int gpus) {
    Node& node = nodes_[index];
    node.free -= gpus;
    free_ -= gpus;
    node.empty_at = std::max(node.empty_at, part.end);
    node.last_slot = std::max(node.last_slot, static_cast<std::int64_t>(part.last));
    releases_.push({part.end, index, gpus});
    if (part.run == kReplicas) return;
    node.held.push_back(part);
    node.held.back().gpus = gpus;
  }

  int size_;
  std::vector<Node> nodes_;
  int free_;
  std::priority_queue<Release, std::vector<Release>, std::greater<>> releases_;
};

}  // namespace

std::vector<Stretch> PackByStart(const GroupLoad& load) {
  Rack rack(load);
  for (const Part& part : load.pinned) rack.Pin(part);
  for (const Part& part : InOrderOfBegin(load)) rack.Put(part);
  return rack.Stretches();
}

}  // namespace heliostat::plan
