#pragma once

#include <functional>
#include <vector>

#include "heliostat/planning/plan/objective.h"

namespace heliostat::milp {

// The cost of one more kWh in each slot, given the facility energy of the slot.
std::vector<double> WorthOfSlots(const plan::Problem& problem, const std::vector<double>& facility_kwh);

// Sets the nodes on. Nodes in use must be on. The others are those of the plan, or those for which staying on pays,
// whichever gives the better value.
void SetNodes(const plan::Problem& problem, const std::vector<double>& worth, plan::Plan& plan);

// Improves the plan by small steps, each judged by the true value of the plan: a job is placed again, leaves a slot, or
// restarts at the begin of a slot so that it can move to another node. No step breaks a constraint that the plan kept.
// Ends when no step helps, or when `may_go_on` returns false.
void Polish(const plan::Problem& problem, const std::function<bool()>& may_go_on, plan::Plan& plan);

}  // namespace heliostat::milp
