#pragma once

#include <optional>

#include "heliostat/base/core/units.h"

namespace heliostat::training_progress {

// Progress from the GPU's counters alone, for a program that reports no steps: clock times utilisation, relative to the
// full clock. Always an estimate: memory-bound work slows down less than the clock, and a busy GPU need not do useful
// work. Suitable for comparing settings of one program, not for comparing programs. The caller supplies a monotone
// time. Not thread-safe.
class CounterSpeed {
 public:
  explicit CounterSpeed(Hertz full_clock) : full_clock_(full_clock) {}

  // One reading, which counts for the time since the previous one. `utilisation`: 0 to 1.
  void Add(Seconds at, Hertz clock, double utilisation);
  // Work since the first reading, in seconds at full clock and full utilisation: a count for StepRate.
  Seconds work() const { return work_; }
  // Mean speed relative to full clock and full utilisation, 0 to 1; absent before two readings.
  std::optional<double> relative_speed() const;
  std::optional<double> mean_utilisation() const;

 private:
  Hertz full_clock_;
  std::optional<Seconds> last_;
  Seconds covered_{0};
  Seconds work_{0};
  Seconds busy_{0};
};

}  // namespace heliostat::training_progress
