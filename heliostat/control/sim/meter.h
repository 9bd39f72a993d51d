#pragma once

#include <vector>

#include "heliostat/model/account/energy_carbon_cost.h"
#include "heliostat/model/scenario/energy.h"

namespace heliostat::sim {

// IT energy of a slot, by use.
struct Draw {
  Joules training;
  Joules serving;
  Joules idle;   // idle GPUs of nodes that are up
  Joules base;   // nodes that are up
  Joules sleep;  // nodes that are off
  Joules wake;   // wake-ups, including base power during them

  Joules sum() const { return training + serving + idle + base + sleep + wake; }
  Draw& operator+=(const Draw& other);
};

// The present load of a group.
struct GroupDraw {
  int nodes_up = 0;
  int nodes_off = 0;  // asleep or failed; a waking node counts when it is up
  int busy_gpus = 0;
  Watts training;
  Watts serving;
};

// The electricity meter of the simulated cluster, and its energy by use. The total and the energy by use are computed
// separately, so that a test can compare them. Not thread-safe.
class Meter {
 public:
  // The scenario must outlive it.
  explicit Meter(const scenario::Scenario& scenario);

  // The load of a group from now() on. The caller sets it.
  GroupDraw& At(std::size_t group) { return loads_[group]; }
  // Adds the energy up to `now`, which must not be after the end of the slot.
  void Advance(Instant now);
  // Adds the energy of one wake-up.
  void WakeUp(std::size_t group);
  // Ends the slot: splits its energy into on-site power and grid power, and begins the next slot.
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
