#pragma once

#include <utility>
#include <vector>

#include "heliostat/planning/plan/stretch.h"

namespace heliostat::plan {

// What a group's nodes have to hold, and what it costs to have one on.
struct GroupLoad {
  int nodes = 0;
  int gpus_per_node = 0;
  std::int64_t step = 0;      // seconds of a slot
  std::vector<Part> runs;     // in the order of their numbers
  std::vector<int> replicas;  // [slot]: GPUs that they hold on any nodes, from the slot's begin to its end
  std::vector<int> fewest;    // [slot]: nodes without which all GPUs in use at some second cannot be had
  std::vector<double> cost;   // [slot]: of each node beyond those, above zero, about 1 in the mean
  double missing = 0.0;       // on top, for each node on that the group does not have
  double spread = 0.0;        // for each node more than it needs that a run is on
};

// How many nodes are on, slot by slot, and what a change costs.
class Tally {
 public:
  explicit Tally(const GroupLoad& load) : load_(&load), on_(load.cost.size(), 0) {}

  int OnIn(std::size_t slot) const { return on_[slot]; }

  // What one node more adds, or saves, in slots from first to last.
  double TurnOn(std::size_t first, std::size_t last);
  double TurnOff(std::size_t first, std::size_t last);

  // What turning on would add; `enough` when it is that or more.
  double CostOf(std::size_t first, std::size_t last, double enough) const;
  // The same for what a stretch has to be longer to hold the part.
  double CostOf(const Part& part, const Stretch& on, double enough) const;

 private:
  double OneMore(std::size_t slot) const {
    if (on_[slot] < load_->fewest[slot]) return 0.0;
    return on_[slot] < load_->nodes ? load_->cost[slot] : load_->cost[slot] + load_->missing;
  }

  const GroupLoad* load_;
  std::vector<int> on_;
};

// Stretches that parts are put on one by one. Keeps the tally.
class Shelf {
 public:
  // Where a part would go, and what that would add.
  struct Spot {
    std::size_t stretch = 0;  // size() for a fresh one
    double cost = 0.0;
  };

  Shelf(const GroupLoad& load, Tally& tally) : load_(load), tally_(tally) {}

  // Where the part adds the least cost; of several such places, where the fewest GPUs are left, then where the node is
  // off again soonest.
  Spot BestFor(const Part& part) const;
  void Put(const Part& part, const Spot& spot);
  // Splits the part over stretches that are on all the time, as few of them as can be. How many more than one, or 0,
  // and nothing is changed, when there is no room or it would be more than `most`.
  int Spread(const Part& part, int most);
  // Turns off all that it has turned on, and begins anew.
  void Clear();

  std::size_t size() const { return size_; }
  Stretch& operator[](std::size_t i) { return stretches_[i]; }

 private:
  const GroupLoad& load_;
  Tally& tally_;
  std::size_t size_ = 0;
  std::vector<Stretch> stretches_;  // those beyond `size_` are kept for their memory
  std::vector<std::pair<int, std::size_t>> room_;
};

// Whole runs, longest first: what is known to keep the time that nodes are on short. A run that is larger than a node
// takes whole ones and one for the rest. May need more nodes than the group has.
std::vector<Stretch> PackByLength(const GroupLoad& load);

}  // namespace heliostat::plan
