#pragma once

#include <vector>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::milp {

// GPUs that are free at every second of every group, on nodes that are on. Kept as steps: what changes rarely costs
// little.
class Timeline {
 public:
  explicit Timeline(const scenario::Scenario& scenario);

  // Begins with none. `gpus` may be negative.
  void Give(std::size_t group, const Interval& span, int gpus);
  void Hold(std::size_t group, const Interval& span, int gpus) { Give(group, span, -gpus); }

  bool Fits(std::size_t group, const Interval& span, int gpus) const;
  // All stretches of a span in which so many GPUs are free, in order.
  std::vector<Interval> FreeStretches(std::size_t group, const Interval& within, int gpus) const;

 private:
  // So many from here until the next step.
  struct Step {
    Instant begin;
    int free = 0;
  };
  using Steps = std::vector<Step>;

  // The step that begins at t, made if there is none.
  static Steps::iterator StepAt(Steps& steps, Instant t);

  Interval horizon_;
  std::vector<Steps> steps_;  // [group]
};

}  // namespace heliostat::milp
