#pragma once

#include "heliostat/base/io/json.h"
#include "heliostat/planning/plan/objective.h"

namespace heliostat::plan {

// A plan with the request that it answers.
struct PlanAnswer {
  std::string objective{};  // its name, or "trade-off"
  std::string solver{};     // that found the plan
  double solve_s = 0.0;
  Outcome outcome{};  // value and bound in the unit of the objective
};

// The plan document of docs/contract.md. Without a plan it has no totals and lists, and `reason` states why.
io::Json ToJson(const scenario::Scenario& scenario, const PlanAnswer& answer);

// Reads the plan from such a document. Fails at the first error. The document must have the same slots, groups, jobs
// and services as the scenario. It may break other constraints: see Violations().
Result<Plan> FromJson(const scenario::Scenario& scenario, const io::Json& document);

}  // namespace heliostat::plan
