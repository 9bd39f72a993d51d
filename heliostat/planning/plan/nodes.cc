#include "heliostat/planning/plan/nodes.h"

#include <algorithm>
#include <array>

#include "heliostat/base/core/check.h"

namespace heliostat::plan {
namespace {

// The slots in which the k-th node is on. It is needed where at least k nodes are. Deciding each node alone is optimal
// for the whole group: the slots in which node k is on include those of node k + 1, so each increase of the count is
// the wake-up of one node.
std::vector<bool> WhenOn(const std::vector<int>& needed, int node, bool is_up, const NodeCosts& costs) {
  const std::size_t slots = needed.size();
  // least[t][was_on]: the least cost from slot t on.
  std::vector<std::array<double, 2>> least(slots + 1, {0.0, 0.0});
  const auto cost_on = [&](std::size_t slot, bool was_on) {
    const double wake_up = was_on ? 0.0 : std::max(0.0, costs.wake_up[slot]);
    return wake_up + (needed[slot] >= node ? 0.0 : costs.idle[slot]) + least[slot + 1][1];
  };
  const auto stays_on = [&](std::size_t slot, bool was_on) {
    return needed[slot] >= node || cost_on(slot, was_on) < least[slot + 1][0];
  };
  for (std::size_t slot = slots; slot-- > 0;) {
    for (const bool was_on : {false, true}) {
      least[slot][was_on ? 1 : 0] = stays_on(slot, was_on) ? cost_on(slot, was_on) : least[slot + 1][0];
    }
  }
  std::vector<bool> on(slots);
  bool was_on = is_up;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    was_on = stays_on(slot, was_on);
    on[slot] = was_on;
  }
  return on;
}

}  // namespace

std::vector<int> KeepOn(const std::vector<int>& needed, const NodeCount& nodes, const NodeCosts& costs) {
  Check(costs.idle.size() == needed.size() && costs.wake_up.size() == needed.size(),
        "the costs do not have one value per slot");
  // All nodes between two counts that occur are needed in the same slots, so one decision is enough for them.
  std::vector<int> levels = needed;
  levels.push_back(nodes.up);
  levels.push_back(nodes.all);
  std::sort(levels.begin(), levels.end());
  std::vector<int> on(needed.size(), 0);
  int decided = 0;
  for (const int level : levels) {
    if (level <= decided) continue;
    const std::vector<bool> when = WhenOn(needed, level, level <= nodes.up, costs);
    for (std::size_t slot = 0; slot < on.size(); ++slot) on[slot] += when[slot] ? level - decided : 0;
    decided = level;
  }
  return on;
}

}  // namespace heliostat::plan
