#include "heliostat/signals/signal/misplaced.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heliostat::signal {
namespace {

constexpr Duration kDay = std::chrono::days{1};
constexpr std::ptrdiff_t kMostDays = 60;
constexpr std::size_t kFewestDays = 20;
constexpr double kConspicuous = 3.0;  // times the typical misfit
constexpr double kFits = 0.5;         // times the own misfit

// The mean distance of the values at one time of day to the neighbours of the same time `days` later; missing where too
// few are known.
double MisfitOf(const StepSeries& series, std::ptrdiff_t time, std::ptrdiff_t per_day, int days) {
  const auto& values = series.values();
  const auto size = static_cast<std::ptrdiff_t>(values.size());
  double sum = 0;
  std::size_t count = 0;
  for (std::ptrdiff_t at = time; at < size; at += per_day) {
    const std::ptrdiff_t there = at + days * per_day;
    if (at < size - kMostDays * per_day || there < 1 || there + 1 >= size) continue;
    const auto value = [&](std::ptrdiff_t i) { return values[static_cast<std::size_t>(i)]; };
    const double distance = std::abs(value(at) - (value(there - 1) + value(there + 1)) / 2);
    if (IsMissing(distance)) continue;
    sum += distance;
    ++count;
  }
  return count < kFewestDays ? Missing() : sum / static_cast<double>(count);
}

}  // namespace

std::optional<MisplacedTime> FindMisplacedTime(const StepSeries& series) {
  if (kDay % series.step() != Duration{0}) return std::nullopt;
  const auto per_day = static_cast<std::ptrdiff_t>(kDay / series.step());
  std::vector<double> own;
  for (std::ptrdiff_t time = 0; time < per_day; ++time) own.push_back(MisfitOf(series, time, per_day, 0));
  if (std::ranges::any_of(own, [](double misfit) { return IsMissing(misfit); })) return std::nullopt;
  const auto worst = std::ranges::max_element(own) - own.begin();
  std::vector<double> sorted = own;
  std::ranges::sort(sorted);
  const double misfit = own[static_cast<std::size_t>(worst)];
  if (!(misfit > kConspicuous * sorted[sorted.size() / 2])) return std::nullopt;
  for (const int days : {1, -1}) {
    const double elsewhere = MisfitOf(series, worst, per_day, days);
    if (!(elsewhere < kFits * misfit)) continue;
    const Instant first = series.TimeOf(static_cast<std::size_t>(worst));
    return MisplacedTime{first - std::chrono::floor<std::chrono::days>(first), days, misfit, elsewhere};
  }
  return std::nullopt;
}

}  // namespace heliostat::signal
