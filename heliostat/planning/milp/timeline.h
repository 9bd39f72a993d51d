#pragma once

#include <vector>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::milp {

// The number of free GPUs of each group at every second, on nodes that are on. Stored as steps, so rare changes need
// little memory. Not thread-safe.
class Timeline {
 public:
  explicit Timeline(const scenario::Scenario& scenario);

  // Adds free GPUs in the span. A new timeline has none. `gpus` may be negative.
  void Give(std::size_t group, const Interval& span, int gpus);
  void Hold(std::size_t group, const Interval& span, int gpus) { Give(group, span, -gpus); }

  bool Fits(std::size_t group, const Interval& span, int gpus) const;
  // All spans inside `within` in which that many GPUs are free, in order of time.
  std::vector<Interval> FreeStretches(std::size_t group, const Interval& within, int gpus) const;

 private:
  // The number of free GPUs from `begin` to the next step.
  struct Step {
    Instant begin;
    int free = 0;
  };
  using Steps = std::vector<Step>;

  // The step that begins at `t`; makes it if there is none.
  static Steps::iterator StepAt(Steps& steps, Instant t);

  Interval horizon_;
  std::vector<Steps> steps_;  // [group]
};

}  // namespace heliostat::milp
