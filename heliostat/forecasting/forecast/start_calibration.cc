#include "heliostat/forecasting/forecast/start_calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heliostat::forecast {
namespace {

// The level of the range of a saving.
constexpr double kLevel = 0.9;
// The age at which a past question counts half.
constexpr Seconds kHalfLife = std::chrono::days{10};
// Past questions that the belief in the forecast counts for.
constexpr double kBelief = 10.0;
// The part of the spread that is the same for all questions, in units of the usual spread.
constexpr double kCommonSpread = 0.5;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// The mean over [from, from + length) of `steps` steps, whose values `value_at` returns.
template <typename ValueAt>
double WindowMean(double from, double length, std::size_t steps, ValueAt value_at) {
  const double until = from + length;
  double sum = 0.0;
  for (auto i = static_cast<std::size_t>(from); i < steps && static_cast<double>(i) < until; ++i) {
    const auto begin = static_cast<double>(i);
    sum += (std::min(begin + 1.0, until) - std::max(begin, from)) * value_at(i);
  }
  return sum / length;
}

// How many past questions each question overlaps with, itself included.
double Overlap(const SignalAhead& ahead) {
  const Duration within = ahead.end() - ahead.begin;
  const Duration span = ahead.past.back().origin - ahead.past.front().origin + within;
  return std::max(1.0, static_cast<double>(ahead.past.size()) * (Seconds(within) / Seconds(span)));
}

}  // namespace

double JobMean(const StartGrid& grid, double start, std::span<const double> values) {
  return WindowMean(start, grid.length, values.size(), [&](std::size_t i) { return values[i]; });
}

StartCalibration::StartCalibration(const StartGrid& grid, const SignalAhead& ahead) : grid_(grid), ahead_(ahead) {
  for (const PastForecast& past : ahead.past) {
    std::vector<double>& errors = past_errors_.emplace_back();
    for (std::size_t i = 0; i < past.actual.size(); ++i) {
      const double error = past.actual[i] - past.expected[i];
      errors.push_back(ahead.scale == ErrorScale::kAbsolute ? error : error / past.expected[i]);
    }
  }
  Learn(Ask());
}

double StartCalibration::Unit(std::span<const double> expected) const {
  if (ahead_.scale == ErrorScale::kAbsolute) return 1.0;
  const double mean = JobMean(grid_, grid_.starts[0], expected);
  return mean > 0.0 ? mean : 1.0;
}

double StartCalibration::Spread(std::span<const double> expected, double start, std::size_t except) const {
  double squares = 0.0;
  std::size_t count = 0;
  const bool is_absolute = ahead_.scale == ErrorScale::kAbsolute;
  for (std::size_t k = 0; k < past_errors_.size(); ++k) {
    if (k == except) continue;
    const double* const errors = past_errors_[k].data();
    const auto error_at = [&](std::size_t i) { return is_absolute ? errors[i] : expected[i] * errors[i]; };
    const double error = WindowMean(grid_.starts[0], grid_.length, expected.size(), error_at) -
                         WindowMean(start, grid_.length, expected.size(), error_at);
    squares += error * error;
    ++count;
  }
  return count == 0 ? 0.0 : std::sqrt(squares / static_cast<double>(count));
}

std::vector<StartCalibration::Case> StartCalibration::Ask() const {
  std::vector<Case> cases;
  for (std::size_t k = 0; k < ahead_.past.size(); ++k) {
    const PastForecast& past = ahead_.past[k];
    const double now = JobMean(grid_, grid_.starts[0], past.expected);
    double best = now;
    double start = grid_.starts[0];
    for (const double other : grid_.starts) {
      const double mean = JobMean(grid_, other, past.expected);
      if (mean >= best) continue;
      best = mean;
      start = other;
    }
    if (best >= now) continue;
    const double unit = Unit(past.expected);
    const double had = JobMean(grid_, grid_.starts[0], past.actual) - JobMean(grid_, start, past.actual);
    const double weight = std::exp2(-(Seconds(ahead_.begin - past.origin) / kHalfLife));
    cases.push_back({(now - best) / unit, had / unit, Spread(past.expected, start, k) / unit, weight});
  }
  return cases;
}

void StartCalibration::Learn(const std::vector<Case>& cases) {
  if (cases.empty()) return;
  double squared_weights = 0.0;
  double squares = 0.0;
  double products = 0.0;
  for (const Case& one : cases) {
    weight_ += one.weight;
    squared_weights += one.weight * one.weight;
    squares += one.weight * one.promised * one.promised;
    products += one.weight * one.promised * one.had;
    usual_spread_ += one.weight * one.spread;
  }
  usual_spread_ /= weight_;
  const double count = weight_ * weight_ / squared_weights;  // of equal weight that would tell as much
  share_ = std::max(0.0, (count * products + kBelief * squares) / ((count + kBelief) * squares));
  level_ = std::min(1.0, kLevel * (1.0 + Overlap(ahead_) / count));
  if (usual_spread_ <= 0.0) return;
  for (const Case& one : cases) {
    const double error = one.had - Expect(one.promised);
    errors_.push_back({error / (one.spread + kCommonSpread * usual_spread_), one.weight});
  }
  std::ranges::sort(errors_, {}, &ScaledError::error);
}

double StartCalibration::ErrorAt(double share) const {
  double below = 0.0;
  for (const ScaledError& one : errors_) {
    below += one.weight;
    if (below >= share * weight_) return one.error;
  }
  return errors_.back().error;
}

void StartCalibration::AddRange(double start, StartOption& option) const {
  option.saving_low = option.saving_high = option.saving;
  option.chance = option.saving > 0.0 ? 1.0 : 0.0;
  if (errors_.empty()) return;
  const double spread = Spread(ahead_.expected, start, kNone) + kCommonSpread * usual_spread_ * Unit(ahead_.expected);
  const double tail = (1.0 - level_) / 2.0;
  option.saving_low = std::min(option.saving, option.saving + spread * ErrorAt(tail));
  option.saving_high = std::max(option.saving, option.saving + spread * ErrorAt(1.0 - tail));
  double gains = 0.0;
  for (const ScaledError& one : errors_) gains += option.saving + spread * one.error > 0.0 ? one.weight : 0.0;
  option.chance = std::min(1.0, gains / weight_);
}

}  // namespace heliostat::forecast
