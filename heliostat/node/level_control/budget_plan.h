#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "heliostat/node/level_control/choose.h"

namespace heliostat::level_control {

// A future time in which the cost of a joule is constant.
struct Slot {
  Seconds length{};
  double cost_per_joule = 0.0;
};

// Extends `slots` to `length` by repeating their last day, or all of them where they cover less than a day.
std::vector<Slot> Extended(std::vector<Slot> slots, Seconds length);

// The time that a plan spends at one option within a slot.
struct Share {
  std::size_t option = 0;
  Seconds time{};
};

// The cheapest way to do some work within a budget of time.
struct BudgetPlan {
  bool is_feasible = false;  // false: everything runs at the fastest option
  Seconds takes{};           // until the work is done
  double cost = 0.0;
  double work_price = 0.0;                // the cost of one more unit of work
  std::vector<std::vector<Share>> slots;  // at most two shares per slot, the faster first; none after the end
};

// The plan of least cost for `work` within `budget` from now on. The program runs without a pause until the work is
// done. Levels may mix within a slot. The solution is exact, by the Lagrangian: for one price of work, power(p) * cost
// - price * speed(p) is least in every slot, and the end is where another second costs as much as it saves. A negative
// cost counts as 0. Slots are extended to the budget. Options must not be empty, and work must be above 0.
BudgetPlan PlanWithin(std::span<const LevelOption> options, std::span<const Slot> slots, double work, Seconds budget);

}  // namespace heliostat::level_control
