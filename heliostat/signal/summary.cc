#include "heliostat/signal/summary.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace heliostat::signal {
namespace {

struct Tally {
  double sum = 0;
  double count = 0;
  double mean() const { return count > 0 ? sum / count : Missing(); }
};

}  // namespace

Summary Summarize(std::span<const double> values) {
  // Four lanes: a single running sum would wait for itself at every value.
  constexpr std::size_t kLanes = 4;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::array<double, kLanes> sums{};
  std::array<double, kLanes> lows;
  std::array<double, kLanes> highs;
  std::array<std::size_t, kLanes> known{};
  lows.fill(kInfinity);
  highs.fill(-kInfinity);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t lane = i % kLanes;
    const double value = values[i];
    const bool is_known = !IsMissing(value);
    known[lane] += is_known ? 1 : 0;
    sums[lane] += is_known ? value : 0;
    lows[lane] = value < lows[lane] ? value : lows[lane];
    highs[lane] = value > highs[lane] ? value : highs[lane];
  }
  Summary summary;
  const std::size_t count = std::accumulate(known.begin(), known.end(), std::size_t{0});
  summary.count = values.size();
  summary.missing = values.size() - count;
  if (count == 0) return summary;
  summary.min = std::ranges::min(lows);
  summary.max = std::ranges::max(highs);
  // Rounding may carry the mean of equal values past them.
  const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(count);
  summary.mean = std::clamp(mean, summary.min, summary.max);
  return summary;
}

std::array<double, 24> TypicalDay(const StepSeries& series) {
  std::array<Tally, 24> hours;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double value = series.values()[i];
    if (IsMissing(value)) continue;
    const Instant t = series.TimeOf(i);
    const auto hour = std::chrono::floor<std::chrono::hours>(t - std::chrono::floor<std::chrono::days>(t)).count();
    Tally& tally = hours[static_cast<std::size_t>(hour)];
    tally.sum += value;
    tally.count += 1;
  }
  std::array<double, 24> means{};
  std::ranges::transform(hours, means.begin(), &Tally::mean);
  return means;
}

DailyMeans MeansByDay(const StepSeries& series) {
  const auto first = std::chrono::floor<std::chrono::days>(series.start());
  const auto last = std::chrono::floor<std::chrono::days>(series.end() - Duration{1});
  std::vector<Tally> days(static_cast<std::size_t>((last - first).count()) + 1);
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (IsMissing(series.values()[i])) continue;
    const auto day = std::chrono::floor<std::chrono::days>(series.TimeOf(i));
    Tally& tally = days[static_cast<std::size_t>((day - first).count())];
    tally.sum += series.values()[i];
    tally.count += 1;
  }
  DailyMeans daily{first, {}};
  for (const Tally& day : days) daily.means.push_back(day.mean());
  return daily;
}

}  // namespace heliostat::signal
