#pragma once

#include "heliostat/io/json.h"
#include "heliostat/plan/objective.h"

namespace heliostat::plan {

// What `heliostat plan --json` says of one answer, beside the plan itself.
struct Certificate {
  std::string objective;
  std::string solver;
  Termination status = Termination::kNoPlan;
  double bound = 0.0;  // on the objective's own value
  double gap = 0.0;
  double solve_s = 0.0;
  std::string reason;
};

// The contract's plan document. Without a plan, its totals and lists are left out and `reason` says why.
io::Json ToJson(const scenario::Scenario& scenario, const Plan& plan, const Score& score,
                const Certificate& certificate);

// The plan that such a document holds: who runs when, where and how, and which nodes are on. It must speak of the same
// slots, groups, jobs and services as the scenario, all of them and no others; the first thing wrong is the error.
// Keeps whatever the document says otherwise: Violations() judges it.
Result<Plan> FromJson(const scenario::Scenario& scenario, const io::Json& document);

}  // namespace heliostat::plan
