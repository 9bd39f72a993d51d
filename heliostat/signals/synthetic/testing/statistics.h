#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "heliostat/signals/signal/step_series.h"

namespace heliostat::synthetic {

// Statistics of an hourly series from midnight UTC, to compare synthetic and real zones. For tests only.

// Values are limited to this range first: a few hours dominate the deviation of a price with spikes, and it differs
// from year to year.
struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

struct Statistics {
  double mean = 0;  // of the values without limits
  double deviation = 0;
  double lag_1 = 0;  // autocorrelation at this lag in hours
  double lag_24 = 0;
  double lag_168 = 0;
  std::array<double, 24> day{};  // mean by hour
  double amplitude = 0;          // of `day`
  double negative = 0;           // share of hours
  double percentile_99 = 0;
};

inline std::vector<double> Known(std::span<const double> values) {
  std::vector<double> known;
  std::ranges::copy_if(values, std::back_inserter(known), [](double v) { return !signal::IsMissing(v); });
  return known;
}

inline double Percentile(std::span<const double> values, double share) {
  std::vector<double> known = Known(values);
  const auto at = known.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(known.size() - 1));
  std::ranges::nth_element(known, at);
  return *at;
}

inline double MeanOf(std::span<const double> values) {
  const auto known = Known(values);
  return std::accumulate(known.begin(), known.end(), 0.0) / static_cast<double>(known.size());
}

inline double DeviationOf(std::span<const double> values) {
  const double mean = MeanOf(values);
  double sum = 0;
  const auto known = Known(values);
  for (const double value : known) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(known.size()));
}

// The correlation coefficient of Pearson over the pairs with both values known.
inline double Correlation(std::span<const double> a, std::span<const double> b) {
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (signal::IsMissing(a[i]) || signal::IsMissing(b[i])) continue;
    x.push_back(a[i]);
    y.push_back(b[i]);
  }
  const double mean_x = MeanOf(x);
  const double mean_y = MeanOf(y);
  double product = 0;
  for (std::size_t i = 0; i < x.size(); ++i) product += (x[i] - mean_x) * (y[i] - mean_y);
  return product / static_cast<double>(x.size()) / DeviationOf(x) / DeviationOf(y);
}

// The rank of each known value; ties are in order of time.
inline std::vector<double> Ranks(std::span<const double> values) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!signal::IsMissing(values[i])) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size(), signal::Missing());
  for (std::size_t place = 0; place < order.size(); ++place) ranks[order[place]] = static_cast<double>(place);
  return ranks;
}

// With `by_rank` the autocorrelations are those of the ranks, which spikes do not dominate.
inline Statistics StatisticsOf(std::span<const double> values, const Limits& limits, bool by_rank) {
  Statistics result;
  result.mean = MeanOf(values);
  result.percentile_99 = Percentile(values, 0.99);
  std::vector<double> cut(values.begin(), values.end());
  for (double& value : cut) {
    if (!signal::IsMissing(value)) value = std::clamp(value, limits.low, limits.high);
  }
  result.deviation = DeviationOf(cut);
  const std::vector<double> paired = by_rank ? Ranks(values) : cut;
  const std::span<const double> all(paired);
  result.lag_1 = Correlation(all.subspan(1), all);
  result.lag_24 = Correlation(all.subspan(24), all);
  result.lag_168 = Correlation(all.subspan(168), all);
  for (std::size_t hour = 0; hour < 24; ++hour) {
    std::vector<double> at_hour;
    for (std::size_t i = hour; i < cut.size(); i += 24) at_hour.push_back(cut[i]);
    result.day[hour] = MeanOf(at_hour);
  }
  const auto [low, high] = std::ranges::minmax(result.day);
  result.amplitude = high - low;
  const auto known = Known(values);
  result.negative = static_cast<double>(std::ranges::count_if(known, [](double v) { return v < 0; })) /
                    static_cast<double>(known.size());
  return result;
}

}  // namespace heliostat::synthetic
