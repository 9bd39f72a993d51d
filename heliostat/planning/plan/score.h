#pragma once

#include <vector>

#include "heliostat/model/account/balance.h"
#include "heliostat/planning/plan/plan.h"

namespace heliostat::plan {

// What a plan comes to, by "Energy, carbon, cost" and "Plans" of docs/contract.md.
struct Score {
  std::vector<account::Balance> slots;
  account::Balance total;
  double performance = 0.0;
  int wake_ups = 0;

  double carbon_kg() const { return InKilograms(total.carbon); }
  double ppc() const { return carbon_kg() > 0.0 ? performance / carbon_kg() : 0.0; }
};

// Recomputes everything from the plan alone.
Score ScoreOf(const scenario::Scenario& scenario, const Plan& plan);

// What of a score is the jobs' and the services' performance.
double PerformanceOf(const scenario::Scenario& scenario, const Plan& plan);

}  // namespace heliostat::plan
