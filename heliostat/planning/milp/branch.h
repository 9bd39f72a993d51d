#pragma once

#include <utility>
#include <vector>

#include "heliostat/base/core/units.h"
#include "heliostat/planning/milp/linear.h"

namespace heliostat::milp {

enum class Ended { kSolved, kInfeasible, kStopped };

struct Relaxed {
  Ended ended = Ended::kStopped;
  std::vector<double> values;
  double value = 0.0;
};

// The programme without its whole numbers, through CLP. kStopped: out of time or in numerical trouble.
Relaxed SolveRelaxed(const Linear& linear, Seconds time_limit);

struct Branched {
  Ended ended = Ended::kStopped;
  std::vector<double> values;   // of the best solution; empty when none was found
  std::vector<double> relaxed;  // of the programme without whole numbers; empty when it was not solved
  double bound = 0.0;           // no solution's value is less; meaningless when infeasible
};

struct BranchEffort {
  Seconds time_limit{};
  double gap = 0.0;
};

// The programme with some columns held at values.
Linear Fixed(Linear linear, const std::vector<std::pair<int, double>>& values);

// Branch and cut through CBC: one thread, no output, no signal handler. `start` names whole-number columns of a
// solution to begin from; one that is no solution is ignored.
Branched SolveWhole(const Linear& linear, const std::vector<std::pair<int, double>>& start, const BranchEffort& effort);

}  // namespace heliostat::milp
