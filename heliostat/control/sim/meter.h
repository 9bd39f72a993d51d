#pragma once

#include <vector>

#include "heliostat/model/account/balance.h"
#include "heliostat/model/scenario/energy.h"

namespace heliostat::sim {

// IT energy of a slot by what drew it.
struct Draw {
  Joules training;
  Joules serving;
  Joules idle;   // GPUs of nodes that are up, with nothing to do
  Joules base;   // nodes that are up
  Joules sleep;  // nodes that are off
  Joules wake;   // wake-ups, base power while they last included

  Joules sum() const { return training + serving + idle + base + sleep + wake; }
  Draw& operator+=(const Draw& other);
};

// What a group does right now.
struct GroupDraw {
  int nodes_up = 0;
  int nodes_off = 0;  // asleep or failed; those that are waking are paid for when they are up
  int busy_gpus = 0;
  Watts training;
  Watts serving;
};

// The cluster's electricity meter, and beside it who drew how much: two sums that never share a term, so that a test
// can hold one against the other.
class Meter {
 public:
  explicit Meter(const scenario::Scenario& scenario);

  // Load of a group from the meter's present time on.
  GroupDraw& At(std::size_t group) { return loads_[group]; }
  // Moves on to `now`, at most to the end of the slot.
  void Advance(Instant now);
  void WakeUp(std::size_t group);
  // The slot is over: settles it with the sun and the grid, and begins the next.
  void CloseSlot();

  Instant now() const { return now_; }
  const account::Balance& total() const { return total_; }
  const std::vector<account::Balance>& slots() const { return slots_; }
  const std::vector<Draw>& draws() const { return draws_; }
  int wake_ups() const { return wake_ups_; }
  Seconds idle_nodes() const { return idle_nodes_; }  // node-seconds up without any busy GPU
  void AddIdleNodes(int nodes, Duration length) { idle_nodes_ += Seconds(length) * nodes; }

 private:
  const scenario::Scenario& scenario_;
  Instant now_;
  std::vector<GroupDraw> loads_;
  std::vector<scenario::GroupUse> uses_;  // of the slot so far
  Draw draw_;
  account::Balance total_;
  std::vector<account::Balance> slots_;
  std::vector<Draw> draws_;
  int wake_ups_ = 0;
  Seconds idle_nodes_{};
};

}  // namespace heliostat::sim
