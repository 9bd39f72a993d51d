#include "heliostat/forecasting/forecast/rehearsal.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heliostat::forecast {
namespace {

constexpr Duration kDay = std::chrono::days{1};
constexpr std::int64_t kMostDaily = 90;
constexpr std::int64_t kMostSpread = 200;
constexpr Duration kSpreadOver = std::chrono::days{60};
constexpr std::int64_t kFewestWorthwhile = 20;

// Rehearsals at a distance of whole days keep the time of day, like the forecasts.
Duration RehearsalSpacing(Duration every, Duration step) {
  return every % kDay == Duration{0} && kDay % step == Duration{0} ? kDay : RecordSpacing(every);
}

}  // namespace

Duration RecordSpacing(Duration every) {
  if (every >= kDay) return every;
  std::int64_t multiple = std::max<std::int64_t>(1, kSpreadOver / kMostSpread / every);
  const std::int64_t finest = std::gcd(every.count(), kDay.count());
  while (std::gcd(every.count() * multiple, kDay.count()) != finest) ++multiple;
  return every * multiple;
}

std::size_t RecordCapacity(Duration every) {
  return static_cast<std::size_t>(every >= kDay ? kMostDaily : kMostSpread);
}

std::vector<Instant> RehearsalOrigins(const History& all, Instant first, Duration every, Duration horizon,
                                      std::optional<Duration> train) {
  const Duration spacing = RehearsalSpacing(every, all.step());
  const Duration available = first - all.target.series.start();
  const Duration half = available / 2;
  // A training window that leaves too few rehearsals is shortened: bands need errors.
  const bool window_leaves_room = train && (available - *train) / spacing >= kFewestWorthwhile;
  const Duration needed = std::max(window_leaves_room ? *train : half, horizon);
  const std::int64_t most = spacing >= kDay ? kMostDaily : std::min(kMostSpread, kSpreadOver / spacing);
  std::vector<Instant> origins;
  for (std::int64_t k = std::min(most, (available - needed) / spacing); k >= 1; --k) {
    origins.push_back(first - spacing * k);
  }
  return origins;
}

ErrorScale ScaleOf(const History& past) {
  if (past.target.meaning.kind != signal::Kind::kCarbonIntensity) return ErrorScale::kAbsolute;
  const bool touches_zero = std::ranges::any_of(past.target.series.values(), [](double value) { return value <= 0; });
  return touches_zero ? ErrorScale::kAbsolute : ErrorScale::kRelative;
}

double YesterdayOf(const signal::StepSeries& series, Instant t, Instant origin) {
  const std::int64_t days = std::max<std::int64_t>(1, (t - origin) / kDay + 1);
  const Instant then = t - kDay * days;
  return then < series.start() ? signal::Missing()
                               : series.values()[static_cast<std::size_t>((then - series.start()) / series.step())];
}

ErrorRecord ErrorsOfYesterday(const History& past, std::size_t steps) {
  const auto& series = past.target.series;
  ErrorRecord record(ScaleOf(past), static_cast<std::size_t>(kMostDaily));
  const auto spacing = std::max<std::size_t>(1, series.size() / static_cast<std::size_t>(kMostDaily));
  for (std::size_t known = 1; known < series.size(); known += spacing) {
    const Instant origin = series.TimeOf(known);
    const std::size_t reach = std::min(steps, series.size() - known);
    std::vector<double> forecast(reach);
    for (std::size_t lead = 0; lead < reach; ++lead) {
      forecast[lead] = YesterdayOf(series, series.TimeOf(known + lead), origin);
      if (signal::IsMissing(forecast[lead])) forecast[lead] = series.values()[known - 1];
    }
    record.Add(origin, forecast, std::span(series.values()).subspan(known, reach));
  }
  return record;
}

}  // namespace heliostat::forecast
