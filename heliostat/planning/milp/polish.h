#pragma once

#include <functional>
#include <vector>

#include "heliostat/planning/plan/objective.h"

namespace heliostat::milp {

// What a kWh more costs in each slot, given what the facility draws in it.
std::vector<double> WorthOfSlots(const plan::Problem& problem, const std::vector<double>& facility_kwh);

// Nodes that hold something must be on. Which others stay on: those of the plan, or those for which that pays, whatever
// comes out better.
void SetNodes(const plan::Problem& problem, const std::vector<double>& worth, plan::Plan& plan);

// Makes the plan better by small steps, each judged by the plan's true value: a job is placed anew, leaves a slot, or
// restarts at the beginning of one so that it can move to another node. The plan keeps all that it kept; ends when no
// step helps, or when `may_go_on` says no.
void Polish(const plan::Problem& problem, const std::function<bool()>& may_go_on, plan::Plan& plan);

}  // namespace heliostat::milp
