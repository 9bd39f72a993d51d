#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "heliostat/node/level_control/choose.h"

namespace heliostat::level_control {

// A stretch of the time ahead in which a joule costs the same.
struct Slot {
  Seconds length{};
  double cost_per_joule = 0.0;
};

// `slots` until they reach `length`: the last day of them over and over, all of them where they are less than a day.
std::vector<Slot> Extended(std::vector<Slot> slots, Seconds length);

struct Share {
  std::size_t option = 0;
  Seconds time{};
};

// The cheapest way to get work done in time.
struct BudgetPlan {
  bool is_feasible = false;  // else everything runs at the fastest option
  Seconds takes{};           // until the work is done
  double cost = 0.0;
  double work_price = 0.0;                // what one unit of work more would cost
  std::vector<std::vector<Share>> slots;  // at most two each, the faster first; none after the end
};

// Least cost of `work` within `budget` from now on, the program running all the while until it is done: it is not put
// off. Levels mix within a slot. Exact, by the Lagrangian: power(p) * cost - price * speed(p) is least in every slot
// for one price of work, and the end is where another second would cost as much as it spares. Energy that costs less
// than nothing counts as free, which is reason enough to be fast. Slots are extended to the budget.
BudgetPlan PlanWithin(std::span<const LevelOption> options, std::span<const Slot> slots, double work, Seconds budget);

}  // namespace heliostat::level_control
