#pragma once

#include <utility>
#include <vector>

#include "heliostat/planning/plan/stretch.h"

namespace heliostat::plan {

// The runs and replicas of one group, and what its nodes cost.
struct GroupLoad {
  int nodes = 0;
  int gpus_per_node = 0;
  std::int64_t step = 0;      // seconds of a slot
  std::vector<Part> runs;     // in the order of Part::run
  std::vector<Part> pinned;   // parts of runs that must be on certain nodes; `node` of such a run is not -1
  std::vector<int> replicas;  // [slot]: GPUs of replicas, on any nodes, for the whole slot
  std::vector<int> fewest;    // [slot]: fewest nodes with enough GPUs at every second
  std::vector<double> cost;   // [slot]: of each node beyond `fewest`; above 0, mean about 1
  double missing = 0.0;       // in addition, per node beyond `nodes`
  double spread = 0.0;        // per extra node of a run that is spread
};

// The number of nodes on per slot, and the cost of changes. Refers to the load, which must outlive it. Not thread-safe.
class Tally {
 public:
  explicit Tally(const GroupLoad& load) : load_(&load), on_(load.cost.size(), 0) {}

  int OnIn(std::size_t slot) const { return on_[slot]; }

  // Turns one node on or off in the slots `first` to `last`, and returns the cost added or saved.
  double TurnOn(std::size_t first, std::size_t last);
  double TurnOff(std::size_t first, std::size_t last);

  // The cost that TurnOn() would add, at most `enough`.
  double CostOf(std::size_t first, std::size_t last, double enough) const;
  // The same for the slots by which a stretch must grow to hold the part.
  double CostOf(const Part& part, const Stretch& on, double enough) const;

 private:
  double OneMore(std::size_t slot) const {
    if (on_[slot] < load_->fewest[slot]) return 0.0;
    return on_[slot] < load_->nodes ? load_->cost[slot] : load_->cost[slot] + load_->missing;
  }

  const GroupLoad* load_;
  std::vector<int> on_;
};

// Stretches on which parts are put one by one. Updates the tally. Refers to both arguments, which must outlive it. Not
// thread-safe.
class StretchPacker {
 public:
  // A place for a part, and the cost that it adds.
  struct Spot {
    std::size_t stretch = 0;  // size() for a new one
    double cost = 0.0;
  };

  StretchPacker(const GroupLoad& load, Tally& tally) : load_(load), tally_(tally) {}

  // The place with the least added cost. Of several, the one with the fewest GPUs left, then the one whose node is off
  // again first.
  Spot BestFor(const Part& part) const;
  void Put(const Part& part, const Spot& spot);
  // Splits the part over existing stretches that cover it, as few as possible. Returns the number of stretches beyond
  // one. Returns 0 and changes nothing when there are too few free GPUs or it would take more than `most` beyond one.
  int Spread(const Part& part, int most);
  // Removes all stretches and turns their nodes off.
  void Clear();

  std::size_t size() const { return size_; }
  Stretch& operator[](std::size_t i) { return stretches_[i]; }

 private:
  const GroupLoad& load_;
  Tally& tally_;
  std::size_t size_ = 0;
  std::vector<Stretch> stretches_;  // those beyond `size_` are kept to reuse their memory
  std::vector<std::pair<int, std::size_t>> room_;
};

// Packs runs, the longest first, which is known to keep the total time of nodes short. A run that is larger than a node
// takes whole nodes and one for the rest. May need more nodes than the group has.
std::vector<Stretch> PackByLength(const GroupLoad& load);

}  // namespace heliostat::plan
