#pragma once

#include <utility>
#include <vector>

#include "heliostat/base/core/units.h"
#include "heliostat/planning/milp/linear.h"

namespace heliostat::milp {

// How a solver ended. kStopped: out of time or with numerical trouble.
enum class Ended { kSolved, kInfeasible, kStopped };

// The solution of a programme without its integer conditions.
struct Relaxed {
  Ended ended = Ended::kStopped;
  std::vector<double> values;
  double value = 0.0;
};

// Solves the programme without its integer conditions, with CLP.
Relaxed SolveRelaxed(const Linear& linear, Seconds time_limit);

// The result of branch and cut.
struct Branched {
  Ended ended = Ended::kStopped;
  std::vector<double> values;   // of the best solution; empty when none was found
  std::vector<double> relaxed;  // of the programme without integer conditions; empty when it was not solved
  double bound = 0.0;           // no solution has a lower value; no meaning when infeasible
};

// When branch and cut may stop.
struct BranchEffort {
  Seconds time_limit{};
  double gap = 0.0;  // relative
};

// The programme with some columns fixed at values.
Linear Fixed(Linear linear, const std::vector<std::pair<int, double>>& values);

// Solves the programme by branch and cut with CBC: one thread, no output, no signal handler. `start` has the integer
// columns of a solution to begin from; it is ignored when it is not a solution.
Branched SolveWhole(const Linear& linear, const std::vector<std::pair<int, double>>& start, const BranchEffort& effort);

}  // namespace heliostat::milp
