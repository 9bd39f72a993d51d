#pragma once

#include "heliostat/signals/signal/step_series.h"

namespace heliostat::signal {

// What a series usually does at a time of the week (UTC), from its own known
// values: the mean of the same slot of the week, where there is none of the same
// slot of the day, and else of everything. The answer of last resort when a feed
// is silent; needs one known value.
class Climatology {
 public:
  static Result<Climatology> FromHistory(const StepSeries& history);

  double At(Instant t) const;
  // The usual values on the history's own step from `start`, `count` of them.
  Result<StepSeries> Over(Instant start, std::size_t count) const;

  Duration step() const { return step_; }

 private:
  explicit Climatology(Duration step) : step_(step) {}
  std::size_t SlotOf(Instant t) const;

  Duration step_;
  std::vector<double> by_slot_of_week_;
};

}  // namespace heliostat::signal
