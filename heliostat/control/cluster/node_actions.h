#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/control/cluster/action_mechanism.h"
#include "heliostat/control/cluster/missing_rights.h"

namespace heliostat::cluster {

// A reservation of others that begins within this time belongs to its nodes already.
inline constexpr Duration kBeforeReservation = std::chrono::hours(24);
inline constexpr std::size_t kLongestPinName = 40;

// The part of NotedActions with nodes: what may be done in which state, and whether it is so. All arguments outlive
// this.
class NodeActions {
 public:
  NodeActions(ActionMechanism& mechanism, const Clock& clock, MissingRights& missing)
      : mechanism_(mechanism), clock_(clock), missing_(missing) {}

  std::vector<ActionResult> Power(const std::vector<std::string>& names, bool is_up);
  ActionResult SetPin(const Pin& pin);
  ActionResult RemovePin(const std::string& name);

 private:
  ActionMechanism& mechanism_;
  const Clock& clock_;
  MissingRights& missing_;
};

}  // namespace heliostat::cluster
