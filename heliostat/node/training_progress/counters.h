#pragma once

#include <optional>

#include "heliostat/base/core/units.h"

namespace heliostat::training_progress {

// Progress from the GPU's counters alone, where a program tells nothing: clock times activity, as a share of the full
// clock. An estimate, always: memory-bound work is slowed less than its clock, and a GPU may be busy with something
// useless. Good for comparing settings of one program, not programs. Time is the caller's, monotone.
class CounterSpeed {
 public:
  explicit CounterSpeed(Hertz full_clock) : full_clock_(full_clock) {}

  // One reading, which stands for the time since the one before.
  void Add(Seconds at, Hertz clock, double utilisation);
  // Seconds of work at full clock done since the first reading: a count for Rate, in whatever unit is wanted.
  Seconds work() const { return work_; }
  // Mean speed against full clock and full activity, 0 to 1; nothing before two readings.
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
