#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"

namespace heliostat::signal {

// The mark of a missing value, a quiet NaN.
inline double Missing() { return std::numeric_limits<double>::quiet_NaN(); }
inline bool IsMissing(double value) { return value != value; }

// Values at an even step; each holds until the next. Grid operators publish price and carbon intensity in this form.
// Covers [start, end). Access outside, or where a value is missing, is an error and never an extrapolation. Values are
// plain numbers in the unit that the Meaning of their signal names.
//
// Immutable and cheap to copy. Thread-safe. Sums over any interval are O(1) after the first one, and do not depend on
// how the interval is split (up to rounding of the last digit).
class StepSeries {
 public:
  // Needs at least one value and step > 0, else kInvalidArgument. NaN means missing; refuses infinity.
  static Result<StepSeries> Make(Instant start, Duration step, std::vector<double> values);

  Instant start() const { return start_; }
  Instant end() const { return start_ + step_ * static_cast<std::int64_t>(size()); }
  Interval span() const { return {start(), end()}; }
  Duration step() const { return step_; }
  std::size_t size() const { return values().size(); }
  const std::vector<double>& values() const;
  // The number of missing values.
  std::size_t missing() const;
  Instant TimeOf(std::size_t i) const { return start_ + step_ * static_cast<std::int64_t>(i); }

  // The value that holds at `t`; kInvalidArgument when `t` is outside or the value is missing.
  Result<double> At(Instant t) const;

  // The exact integral over `interval`, in value · seconds; 0 for an empty interval.
  Result<double> Integrate(const Interval& interval) const;
  // The time-weighted mean over `interval`, which must not be empty.
  Result<double> Mean(const Interval& interval) const;

  // The part inside `interval`, which must not be empty and whose ends must be sample times.
  Result<StepSeries> Slice(const Interval& interval) const;

  // The same signal at another step; integrals over the new steps do not change. New values are means when the step is
  // coarser, repeats when it is finer, and exact mixtures otherwise. New samples are at whole multiples of `step` since
  // `origin` (default 1970); only whole steps inside the span are made. A new value is missing when any part of it is.
  Result<StepSeries> Resample(Duration step, Instant origin = Instant{}) const;

  // All values times `factor`; missing values stay missing.
  StepSeries Scaled(double factor) const;

 private:
  StepSeries(Instant start, Duration step, std::vector<double> values);

  Status RefuseOutside(const Interval& interval) const;
  Status RefuseMissing(std::size_t first, std::size_t last) const;
  bool HasMissing(std::size_t first, std::size_t last) const;
  std::size_t IndexOf(Instant t) const { return static_cast<std::size_t>((t - start_) / step_); }

  struct Samples;  // the values, and their running sums after the first integration

  Instant start_;
  Duration step_;
  std::shared_ptr<const Samples> samples_;
};

// How Join() treats different values at one time.
enum class Overlap { kMustAgree, kFirstWins, kLastWins };
// What an error of Join() says is allowed when overlapping parts differ under kMustAgree.
inline constexpr std::string_view kPartsMustAgree = "the parts must agree";

// Joins series of the same step and phase, in any order. Times that no part covers are missing.
Result<StepSeries> Join(std::span<const StepSeries> parts, Overlap overlap);

}  // namespace heliostat::signal
