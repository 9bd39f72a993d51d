#pragma once

#include <vector>

#include "heliostat/model/account/energy_carbon_cost.h"
#include "heliostat/planning/plan/plan.h"

namespace heliostat::plan {

// Energy, carbon, cost and performance of a plan, as "Energy, carbon, cost" and "Plans" of docs/contract.md define
// them.
struct Score {
  std::vector<account::Balance> slots;
  account::Balance total;
  double performance = 0.0;
  int wake_ups = 0;

  double carbon_kg() const { return InKilograms(total.carbon); }
  // Performance per kg of carbon; 0 without carbon.
  double ppc() const { return carbon_kg() > 0.0 ? performance / carbon_kg() : 0.0; }
};

// Computes the score from the plan alone. Sizes and indices of the plan must fit the scenario.
Score ScoreOf(const scenario::Scenario& scenario, const Plan& plan);

// The performance of all jobs and services, by the scenario's definition.
double PerformanceOf(const scenario::Scenario& scenario, const Plan& plan);

}  // namespace heliostat::plan
