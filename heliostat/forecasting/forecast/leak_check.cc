#include <algorithm>
#include <cmath>
#include <limits>

#include "heliostat/forecasting/forecast/backtest.h"
#include "heliostat/forecasting/forecast/walk_forward.h"

namespace heliostat::forecast {
namespace {

constexpr double kTolerance = 1e-9;  // relative; allows for rounding only

// The series with all values from `from` on replaced by noise of the same magnitude.
Result<signal::StepSeries> WithNoise(const signal::StepSeries& series, Instant from, RandomStream& random) {
  auto values = series.values();
  double size = 0;
  for (const double value : values) {
    if (!signal::IsMissing(value)) size = std::max(size, std::abs(value));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (series.TimeOf(i) >= from) values[i] = random.Uniform(0.1, 2.0) * std::max(size, 1.0);
  }
  return signal::StepSeries::Make(series.start(), series.step(), std::move(values));
}

Status ReplaceFuture(Issued& issued, Instant origin, RandomStream& random) {
  if (issued.runs.empty()) {
    const Duration step = issued.signal.series.step();
    const Duration lead = issued.signal.meaning.lead.value_or(Duration{});
    auto series = WithNoise(issued.signal.series, origin + lead / step * step, random);
    if (!series) return Propagate(series);
    issued.signal.series = std::move(*series);
    return {};
  }
  for (auto& run : issued.runs) {
    if (run.issued <= origin) continue;
    auto series = WithNoise(run.series, run.series.start(), random);
    if (!series) return Propagate(series);
    run.series = std::move(*series);
  }
  // The newest value per time can be of a run that is issued after the origin, so none of these values may be used.
  auto series = WithNoise(issued.signal.series, origin, random);
  if (!series) return Propagate(series);
  issued.signal.series = std::move(*series);
  return {};
}

// `all` with everything that is not known at `origin` replaced by noise.
Result<History> WithOtherFuture(const History& all, Instant origin, RandomStream random) {
  History other = all;
  auto target = WithNoise(all.target.series, origin, random);
  if (!target) return Propagate(target);
  other.target.series = std::move(*target);
  for (auto& source : other.sources) {
    auto series = WithNoise(source.series, origin, random);
    if (!series) return Propagate(series);
    source.series = std::move(*series);
  }
  for (auto& issued : other.issued) {
    if (const auto replaced = ReplaceFuture(issued, origin, random); !replaced) return Propagate(replaced);
  }
  return other;
}

Result<std::vector<double>> ForecastOf(const Candidate& candidate, const History& all, const Training& training,
                                       Instant origin, std::size_t steps) {
  auto model = candidate.make(all);
  if (!model) return Propagate(model);
  const auto past = Before(all, origin);
  if (!past) return Propagate(past);
  if (const auto fitted = FitOn(**model, *past, training, steps); !fitted) return Propagate(fitted);
  auto prediction = (*model)->Predict(*past, steps);
  if (!prediction) return Propagate(prediction);
  return std::move(prediction->values);
}

bool Differ(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool agree = std::abs(a[i] - b[i]) <= kTolerance * std::max(std::abs(a[i]), std::abs(b[i]));
    if (!agree && !(std::isnan(a[i]) && std::isnan(b[i]))) return true;
  }
  return false;
}

}  // namespace

Result<std::optional<Instant>> FindLeak(const History& all, const BacktestSchedule& schedule, const Candidate& model,
                                        std::size_t tries) {
  const auto steps = static_cast<std::size_t>(schedule.horizon / all.step());
  const Training training = TrainingOf(model.info, schedule.train, schedule.refit);
  const auto origins = OriginsOf(schedule, all);
  const std::size_t count = std::min(tries, origins.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Instant origin = origins[i * origins.size() / count];
    const auto other = WithOtherFuture(all, origin, RandomStream(1).Split(i));
    if (!other) return Propagate(other);
    const auto as_is = ForecastOf(model, all, training, origin, steps);
    if (!as_is) return Propagate(as_is);
    const auto otherwise = ForecastOf(model, *other, training, origin, steps);
    if (!otherwise) return Propagate(otherwise);
    if (Differ(*as_is, *otherwise)) return std::optional<Instant>(origin);
  }
  return std::optional<Instant>();
}

}  // namespace heliostat::forecast
