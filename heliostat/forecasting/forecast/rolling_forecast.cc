#include "heliostat/forecasting/forecast/rolling_forecast.h"

#include <algorithm>
#include <cmath>

#include "heliostat/base/core/check.h"

namespace heliostat::forecast {
namespace {

using namespace std::chrono_literals;

// With less history than this each further day adds much, so the model is fitted every day.
constexpr Duration kLittle = 28 * 24h;
// More history than this adds little and costs time.
constexpr Duration kEnough = 120 * 24h;

std::size_t StepsOf(Duration length, Duration step) {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, length / step));
}

}  // namespace

Result<RollingForecast> RollingForecast::Make(signal::Signal measured, Options options) {
  if (const auto known = FindModel(options.model); !known) return Propagate(known);
  if (!measured.series.span().Contains(options.start)) {
    return Fail(ErrorCode::kInvalidArgument, measured.name, "does not cover " + FormatInstant(options.start),
                FormatInstant(measured.series.start()) + " to " + FormatInstant(measured.series.end()));
  }
  const Instant oldest = options.start - kEnough;
  if (measured.series.start() < oldest) {
    const Duration step = measured.series.step();
    const auto dropped = (oldest - measured.series.start() + step - Duration{1}) / step;
    const auto& values = measured.series.values();
    auto newest = signal::StepSeries::Make(measured.series.start() + step * dropped, step,
                                           std::vector<double>(values.begin() + dropped, values.end()));
    if (!newest) return Propagate(newest);
    measured.series = std::move(*newest);
  }
  return RollingForecast(std::move(measured), std::move(options));
}

RollingForecast::RollingForecast(signal::Signal measured, Options options)
    : measured_(std::move(measured)), options_(std::move(options)) {
  first_ = IndexAt(options_.start);
}

std::size_t RollingForecast::IndexAt(Instant t) const {
  const auto& series = measured_.series;
  const auto last = static_cast<std::int64_t>(series.size()) - 1;
  return static_cast<std::size_t>(std::clamp<std::int64_t>((t - series.start()) / series.step(), 0, last));
}

std::optional<History> RollingForecast::Until(std::size_t values) const {
  const auto& all = measured_.series.values();
  auto series =
      signal::StepSeries::Make(measured_.series.start(), measured_.series.step(),
                               std::vector<double>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(values)));
  if (!series) return std::nullopt;
  return History{{measured_.name, measured_.meaning, std::move(*series)}, {}, {}};
}

const ReadyModel* RollingForecast::ModelFor(std::size_t index) {
  const Duration step = measured_.series.step();
  const Duration known = step * static_cast<std::int64_t>(index);
  const std::size_t every = StepsOf(known < kLittle ? Duration(24h) : Duration(7 * 24h), step);
  const std::size_t since = index < first_ ? 0 : index - first_;
  // While only the present is known, the first fit is that of the first step.
  const std::size_t fitted_with = std::min(first_, index) + since / every * every + 1;
  auto found = fits_.find(fitted_with);
  if (found == fits_.end()) {
    std::optional<ReadyModel> fit;
    trouble_.clear();
    if (const auto history = Until(fitted_with)) {
      auto made = ReadyModel::Make(options_.model, *history, options_.most_steps);
      if (made) {
        fit = std::move(*made);
      } else {
        trouble_ = made.error().Line();
      }
    }
    found = fits_.emplace(fitted_with, std::move(fit)).first;
  }
  return found->second ? &*found->second : nullptr;
}

double RollingForecast::Yesterday(std::size_t index, std::size_t lead) const {
  const auto& values = measured_.series.values();
  const std::size_t day = StepsOf(24h, measured_.series.step());
  const std::size_t back = (lead + day - 1) / day * day;  // the fewest whole days back to a known value
  for (std::size_t i = index + lead < back ? index : index + lead - back;; --i) {
    if (!signal::IsMissing(values[i])) return values[i];
    if (i == 0) return signal::Missing();
  }
}

std::vector<double> RollingForecast::Expect(std::size_t index, std::size_t count, Latest& latest) {
  const bool holds = options_.fallback == Fallback::kPresent;
  const double present = Yesterday(index, 0);
  std::vector<double> values;
  for (std::size_t i = 1; i <= count; ++i) values.push_back(holds ? present : Yesterday(index, i));
  latest.answered_by = holds ? "present" : "yesterday";
  const ReadyModel* const model = count > 0 ? ModelFor(index) : nullptr;
  const auto history = model == nullptr ? std::nullopt : Until(index + 1);
  if (!history) return values;
  auto answer = model->Ask(*history, std::min(count, options_.most_steps));
  if (!answer) return values;
  for (std::size_t i = 0; i < answer->prediction.values.size(); ++i) {
    if (std::isfinite(answer->prediction.values[i])) values[i] = answer->prediction.values[i];
  }
  latest.answered_by = answer->prediction.answered_by;
  latest.bands = std::move(answer->bands);
  return values;
}

Latest RollingForecast::From(Instant t, std::size_t count) {
  Check(count > 0, "a forecast needs at least one value");
  const auto& series = measured_.series;
  const std::size_t index = IndexAt(t);
  const Duration beyond = t - series.TimeOf(index);
  // The number of steps between the last one of the series and that of the moment.
  const auto skipped = static_cast<std::size_t>(std::max<std::int64_t>(0, beyond / series.step()));
  Latest latest;
  latest.issued = series.TimeOf(index) + series.step();
  latest.step = series.step();
  const double present = series.values()[index];
  const bool is_known = skipped == 0 && !signal::IsMissing(present);
  // The forecast follows the step at `index`; if that value is not known, the next one replaces it.
  std::vector<double> expected = Expect(index, skipped + count - (is_known ? 1 : 0), latest);
  if (is_known) {
    latest.values.push_back(present);
    latest.values.insert(latest.values.end(), expected.begin(), expected.end());
  } else if (skipped == 0) {
    latest.values.push_back(expected.front());
    latest.values.insert(latest.values.end(), expected.begin(), expected.end() - 1);
  } else {
    latest.values.assign(expected.begin() + static_cast<std::ptrdiff_t>(skipped) - 1, expected.end() - 1);
  }
  std::size_t newest = index;
  while (newest > 0 && signal::IsMissing(series.values()[newest])) --newest;
  latest.age = std::max(Duration{0}, t - (series.TimeOf(newest) + series.step()));
  latest.freshness = signal::IsMissing(series.values()[newest]) ? signal::Freshness::kClimatology
                                                                : signal::FreshnessAfter(latest.age, options_.limits);
  return latest;
}

}  // namespace heliostat::forecast
