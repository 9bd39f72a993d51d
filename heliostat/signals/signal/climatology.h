#pragma once

#include "heliostat/signals/signal/step_series.h"

namespace heliostat::signal {

// The usual value of a series at a time of the week (UTC), from its known values: the mean of the same slot of the
// week; if no value of that slot is known, of the same slot of the day; else of all values. The fallback when a
// provider does not answer. Immutable after FromHistory().
class Climatology {
 public:
  // Needs one known value; kNotFound without one.
  static Result<Climatology> FromHistory(const StepSeries& history);

  // Defined for any time; never missing.
  double At(Instant t) const;
  // `count` usual values from `start` at step().
  Result<StepSeries> Over(Instant start, std::size_t count) const;

  // The step of the history, at most a day.
  Duration step() const { return step_; }

 private:
  explicit Climatology(Duration step) : step_(step) {}
  std::size_t SlotOf(Instant t) const;

  Duration step_;
  std::vector<double> by_slot_of_week_;
};

}  // namespace heliostat::signal
