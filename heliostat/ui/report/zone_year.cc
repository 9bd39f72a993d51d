#include "heliostat/ui/report/zone_year.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heliostat::report {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::year;
using synthetic::TraceKind;

// The value below which a share `share` of the sorted values lies.
double Quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - std::floor(place));
}

double MeanOf(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

Result<ZoneYear> MakeZoneYear(const synthetic::ZoneFacts& zone, const ZonesOptions& options) {
  const Interval span{sys_days{year{options.year} / 1 / 1}, sys_days{year{options.year + 1} / 1 / 1}};
  const auto make = [&](TraceKind trace) {
    return synthetic::Generate({.zone = zone.name, .trace = trace, .interval = span, .seed = options.seed});
  };
  auto carbon = make(TraceKind::kCarbon);
  if (!carbon) return Propagate(carbon);
  auto solar = make(TraceKind::kSolar);
  if (!solar) return Propagate(solar);
  auto wind = make(TraceKind::kWind);
  if (!wind) return Propagate(wind);
  auto price = make(TraceKind::kPrice);
  if (!price) return Propagate(price);
  return ZoneYear{&zone, *std::move(carbon), *std::move(solar), *std::move(wind), *std::move(price)};
}

Result<signal::StepSeries> SampleWeek(const signal::StepSeries& series) {
  const std::chrono::year_month_day first{std::chrono::floor<std::chrono::days>(series.start())};
  const Instant begin = sys_days{first.year() / 4 / 10};
  return series.Slice({begin, begin + 24h * 7});
}

DayShape DayShapeOf(const signal::StepSeries& hourly, int utc_offset_hours) {
  std::array<std::vector<double>, 24> by_hour;
  for (std::size_t i = 0; i < hourly.size(); ++i) {
    const Instant local = hourly.TimeOf(i) + utc_offset_hours * 1h;
    const auto of_day = local - std::chrono::floor<std::chrono::days>(local);
    const double value = hourly.values()[i];
    if (!signal::IsMissing(value)) by_hour[static_cast<std::size_t>(of_day / 1h)].push_back(value);
  }
  DayShape shape;
  for (std::size_t hour = 0; hour < 24; ++hour) {
    auto& values = by_hour[hour];
    std::ranges::sort(values);
    shape.mean[hour] = values.empty() ? signal::Missing() : MeanOf(values);
    shape.low[hour] = values.empty() ? signal::Missing() : Quantile(values, 0.1);
    shape.high[hour] = values.empty() ? signal::Missing() : Quantile(values, 0.9);
  }
  return shape;
}

YearSpread SpreadOf(std::span<const double> values) {
  std::vector<double> known;
  std::ranges::copy_if(values, std::back_inserter(known), [](double v) { return !signal::IsMissing(v); });
  std::ranges::sort(known);
  const double mean = MeanOf(known);
  double squares = 0;
  for (const double value : known) squares += (value - mean) * (value - mean);
  const auto below_zero = std::ranges::lower_bound(known, 0.0) - known.begin();
  const auto count = static_cast<double>(known.size());
  return {.mean = mean,
          .deviation = std::sqrt(squares / count),
          .lowest = known.front(),
          .percentile_5 = Quantile(known, 0.05),
          .median = Quantile(known, 0.5),
          .percentile_95 = Quantile(known, 0.95),
          .highest = known.back(),
          .negative = static_cast<double>(below_zero) / count};
}

}  // namespace heliostat::report
