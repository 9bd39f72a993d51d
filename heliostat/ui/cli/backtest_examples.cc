#include "heliostat/ui/cli/backtest_examples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace heliostat::cli {
namespace {

using forecast::IssuedForecast;
using forecast::ModelResult;

// The mean absolute error of the first `steps` of a forecast; infinity if no true value is known.
double MeanError(const IssuedForecast& issued, const signal::StepSeries& target, std::size_t steps) {
  double sum = 0;
  double count = 0;
  const auto first = static_cast<std::size_t>((issued.origin - target.start()) / target.step());
  for (std::size_t i = 0; i < steps && first + i < target.size(); ++i) {
    const double error = std::abs(issued.prediction.values[i] - target.values()[first + i]);
    if (std::isnan(error)) continue;
    sum += error;
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::infinity() : sum / count;
}

// The index of the median of the finite errors.
std::optional<std::size_t> MedianOf(const std::vector<double>& errors) {
  std::vector<std::pair<double, std::size_t>> known;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (std::isfinite(errors[i])) known.emplace_back(errors[i], i);
  }
  if (known.empty()) return std::nullopt;
  std::ranges::sort(known);
  return known[(known.size() - 1) / 2].second;
}

// Appends the first `steps` of a forecast to a curve.
void Append(const IssuedForecast& issued, std::size_t steps, report::ForecastCurve& curve) {
  const auto take = [steps](const std::vector<double>& from, std::vector<double>& to) {
    to.insert(to.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(steps));
  };
  take(issued.prediction.values, curve.values);
  if (curve.ranges.empty()) {
    for (auto band = issued.bands.rbegin(); band != issued.bands.rend(); ++band) {
      curve.ranges.push_back({band->level * 100, {}, {}});
    }
  }
  for (std::size_t b = 0; b < curve.ranges.size(); ++b) {
    const auto& band = issued.bands[issued.bands.size() - 1 - b];
    take(band.lower, curve.ranges[b].low);
    take(band.upper, curve.ranges[b].high);
  }
}

}  // namespace

std::optional<report::ForecastExample> MedianForecast(const ModelResult& model, const signal::StepSeries& target) {
  std::vector<double> errors;
  for (const IssuedForecast& issued : model.forecasts) {
    errors.push_back(MeanError(issued, target, issued.prediction.values.size()));
  }
  const auto median = MedianOf(errors);
  if (!median) return std::nullopt;
  const IssuedForecast& issued = model.forecasts[*median];
  const std::size_t steps = issued.prediction.values.size();
  const Duration past = std::chrono::days{2} / target.step() * target.step();
  const Instant end = issued.origin + target.step() * static_cast<std::int64_t>(steps);
  auto before = target.Slice({std::max(target.start(), issued.origin - past), issued.origin});
  auto actual = target.Slice({issued.origin, std::min(target.end(), end)});
  if (!before || !actual) return std::nullopt;
  report::ForecastCurve curve{model.name, issued.origin, target.step(), {}, {}};
  Append(issued, steps, curve);
  return report::ForecastExample{std::move(*before), std::move(*actual), std::move(curve)};
}

std::optional<report::ForecastExample> MedianWeek(const ModelResult& model, const signal::StepSeries& target,
                                                  Duration every) {
  constexpr Duration kWeek = std::chrono::days{7};
  const auto of_week = static_cast<std::size_t>(kWeek / every);
  const auto steps = static_cast<std::size_t>(every / target.step());
  const auto& forecasts = model.forecasts;
  if (kWeek % every != Duration::zero() || forecasts.size() < of_week ||
      forecasts[0].prediction.values.size() < steps) {
    return std::nullopt;
  }
  // Weeks do not overlap.
  std::vector<double> errors;
  for (std::size_t first = 0; first + of_week <= forecasts.size(); first += of_week) {
    double sum = 0;
    for (std::size_t i = first; i < first + of_week; ++i) sum += MeanError(forecasts[i], target, steps);
    errors.push_back(sum);
  }
  const auto median = MedianOf(errors);
  if (!median) return std::nullopt;
  const IssuedForecast& first = forecasts[*median * of_week];
  auto actual = target.Slice({first.origin, first.origin + kWeek});
  if (!actual) return std::nullopt;
  report::ForecastCurve curve{model.name, first.origin, target.step(), {}, {}};
  for (std::size_t i = 0; i < of_week; ++i) {
    const IssuedForecast& issued = forecasts[*median * of_week + i];
    // The first forecasts of a model may have no bands. A week whose first forecast has none shows none.
    if (issued.bands.size() < curve.ranges.size()) return std::nullopt;
    Append(issued, steps, curve);
  }
  const bool whole =
      std::ranges::all_of(curve.ranges, [&](const auto& range) { return range.low.size() == curve.values.size(); });
  if (!whole) curve.ranges.clear();
  return report::ForecastExample{std::nullopt, std::move(*actual), std::move(curve)};
}

}  // namespace heliostat::cli
