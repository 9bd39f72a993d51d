#include "heliostat/signals/signal/summary.h"

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

namespace {

// Four independent running summaries: with one, each addition would wait for the one before.
struct Lanes {
  static constexpr std::size_t kCount = 4;
  std::array<double, kCount> known{};
  std::array<double, kCount> sum{};
  std::array<double, kCount> low;
  std::array<double, kCount> high;

  Lanes() {
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
  }
  void Add(std::size_t lane, double value) {
    known[lane] += IsMissing(value) ? 0.0 : 1.0;
    sum[lane] += IsMissing(value) ? 0.0 : value;
    low[lane] = value < low[lane] ? value : low[lane];
    high[lane] = value > high[lane] ? value : high[lane];
  }
};

}  // namespace

Summary Summarize(std::span<const double> values) {
  Lanes lanes;
  std::size_t i = 0;
  for (; i + Lanes::kCount <= values.size(); i += Lanes::kCount) {
    for (std::size_t lane = 0; lane < Lanes::kCount; ++lane) lanes.Add(lane, values[i + lane]);
  }
  for (; i < values.size(); ++i) lanes.Add(i % Lanes::kCount, values[i]);

  Summary summary;
  const double known = std::accumulate(lanes.known.begin(), lanes.known.end(), 0.0);
  summary.count = values.size();
  summary.missing = values.size() - static_cast<std::size_t>(known);
  if (known == 0) return summary;
  summary.min = std::ranges::min(lanes.low);
  summary.max = std::ranges::max(lanes.high);
  // Rounding can move the mean of equal values out of their range.
  const double mean = std::accumulate(lanes.sum.begin(), lanes.sum.end(), 0.0) / known;
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
