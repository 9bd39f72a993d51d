#pragma once

#include <optional>
#include <vector>

#include "heliostat/planning/plan/objective.h"

namespace heliostat::admission {

// What a job of a scenario must keep.
struct Terms {
  Instant by;             // done later, it misses
  double weight = 1.0;    // of a miss; 0: a miss does not count
  bool must_run = true;   // false: it is left out
  bool is_fixed = false;  // runs already and cannot be moved; comes before all others
};
// The terms of the scenario's own deadlines. Jobs that need not be done are left out.
std::vector<Terms> TermsOf(const scenario::Scenario& scenario, const plan::Limits& limits);

// Which jobs keep their terms, and when the others can be done.
struct Admission {
  std::vector<std::size_t> missed;             // jobs, in order
  std::vector<std::optional<Instant>> finish;  // [job]: nothing if it does not run to its end within the horizon
  double missed_weight = 0.0;
  // Whether a job misses that counts and could keep its terms if it were alone.
  bool is_crowded = false;
  plan::Plan plan;  // shows that this is possible: every job at full speed and as early as it can
};

// Chooses the jobs that miss for the least total weight, among equals for the most even share of misses per owner, then
// for little weighted lateness. A heuristic: jobs are put into free GPUs by deadline, then `tries` exchanges are tried.
// Each job has one number of workers at its fastest setting; a power cap counts as fewer GPUs. Deterministic. Nothing
// when the services find no GPUs.
std::optional<Admission> Admit(const scenario::Scenario& scenario, const plan::Limits& limits,
                               const std::vector<Terms>& terms, int tries);

}  // namespace heliostat::admission
