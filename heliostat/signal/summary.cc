#include "heliostat/signal/summary.h"

#include <algorithm>

namespace heliostat::signal {
namespace {

struct Tally {
  double sum = 0;
  double count = 0;
  double mean() const { return count > 0 ? sum / count : Missing(); }
};

}  // namespace

Summary Summarize(std::span<const double> values) {
  Summary summary;
  Tally tally;
  summary.count = values.size();
  for (const double value : values) {
    if (IsMissing(value)) {
      ++summary.missing;
      continue;
    }
    summary.min = tally.count == 0 ? value : std::min(summary.min, value);
    summary.max = tally.count == 0 ? value : std::max(summary.max, value);
    tally.sum += value;
    tally.count += 1;
  }
  summary.mean = tally.mean();
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
