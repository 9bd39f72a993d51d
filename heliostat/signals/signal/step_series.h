#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"

namespace heliostat::signal {

// A missing value: the only way a series says "nobody knows".
inline double Missing() { return std::numeric_limits<double>::quiet_NaN(); }
inline bool IsMissing(double value) { return value != value; }

// A signal that holds each value until the next sample, evenly stepped, which is
// how grid operators publish price and carbon intensity. Covers [start, end):
// asking outside is an error, never an extrapolation, and so is asking where a
// value is missing. Values are plain numbers in the unit that their signal's
// Meaning names.
//
// Immutable, cheap to copy and safe to share between threads. Sums over any
// interval are O(1) once the first was asked for, and independent of how the
// interval is split (to rounding of the last digit).
class StepSeries {
 public:
  // At least one value; step > 0; NaN means missing, infinity is refused.
  static Result<StepSeries> Make(Instant start, Duration step, std::vector<double> values);

  Instant start() const { return start_; }
  Instant end() const { return start_ + step_ * static_cast<std::int64_t>(size()); }
  Interval span() const { return {start(), end()}; }
  Duration step() const { return step_; }
  std::size_t size() const { return values().size(); }
  const std::vector<double>& values() const;
  std::size_t missing() const;
  Instant TimeOf(std::size_t i) const { return start_ + step_ * static_cast<std::int64_t>(i); }

  // The value in force at `t`.
  Result<double> At(Instant t) const;

  // The exact integral over the interval, in value · seconds. Empty intervals give 0.
  Result<double> Integrate(const Interval& interval) const;
  // The time-weighted mean over an interval that is not empty.
  Result<double> Mean(const Interval& interval) const;

  // The part inside `interval`, whose ends must lie on sample times.
  Result<StepSeries> Slice(const Interval& interval) const;

  // The same signal at another step, with every integral over the new steps
  // kept: means when coarser, repeats when finer, exact mixtures otherwise. New
  // samples lie on whole multiples of `step` since 1970, or since `origin`; only
  // whole steps inside the span are made. A new value is missing when any part
  // of it is.
  Result<StepSeries> Resample(Duration step, Instant origin = Instant{}) const;

  // Values multiplied by `factor`, missing ones still missing.
  StepSeries Scaled(double factor) const;

 private:
  StepSeries(Instant start, Duration step, std::vector<double> values);

  Status RefuseOutside(const Interval& interval) const;
  Status RefuseMissing(std::size_t first, std::size_t last) const;
  bool HasMissing(std::size_t first, std::size_t last) const;
  std::size_t IndexOf(Instant t) const { return static_cast<std::size_t>((t - start_) / step_); }

  struct Samples;  // the values, and their running sums once somebody integrates

  Instant start_;
  Duration step_;
  std::shared_ptr<const Samples> samples_;
};

// What to do where two series both have a value and differ.
enum class Overlap { kMustAgree, kFirstWins, kLastWins };

// One series from several of the same step and phase, in any order; what none of
// them covers is missing.
Result<StepSeries> Join(std::span<const StepSeries> parts, Overlap overlap);

}  // namespace heliostat::signal
