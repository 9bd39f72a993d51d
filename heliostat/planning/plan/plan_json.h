#pragma once

#include "heliostat/base/io/json.h"
#include "heliostat/planning/plan/objective.h"

namespace heliostat::plan {

// What was asked for and what came of it.
struct PlanAnswer {
  std::string objective{};  // its name, or "trade-off"
  std::string solver{};     // the one that found the plan
  double solve_s = 0.0;
  Outcome outcome{};  // value and bound are the objective's own
};

// The contract's plan document. Without a plan, its totals and lists are left out and `reason` says why.
io::Json ToJson(const scenario::Scenario& scenario, const PlanAnswer& answer);

// The plan that such a document holds: who runs when, where and how, and which nodes are on. It must speak of the same
// slots, groups, jobs and services as the scenario, all of them and no others; the first thing wrong is the error.
// Keeps whatever the document says otherwise: Violations() judges it.
Result<Plan> FromJson(const scenario::Scenario& scenario, const io::Json& document);

}  // namespace heliostat::plan
