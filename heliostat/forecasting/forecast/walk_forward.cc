#include "heliostat/forecasting/forecast/walk_forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "heliostat/forecasting/forecast/rehearsal.h"

namespace heliostat::forecast {
namespace {

constexpr Duration kDay = std::chrono::days{1};
constexpr Duration kRehearsalRefit = std::chrono::days{30};
constexpr std::size_t kFewestErrors = 10;  // at one lead, to base bands on
constexpr double kMostWeight = 2;          // limit of the days that one observation counts for

// Adds its lifetime to a sum of seconds.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum_s) : sum_s_(sum_s), start_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() { sum_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_s_;
  std::chrono::steady_clock::time_point start_;
};

// Counts the values inside each band.
struct Coverage {
  std::array<std::size_t, kBandLevels.size()> covered{};
  std::size_t count = 0;

  void Add(const std::vector<Band>& bands, std::size_t lead, double actual) {
    ++count;
    for (std::size_t i = 0; i < bands.size(); ++i) {
      if (bands[i].lower[lead] <= actual && actual <= bands[i].upper[lead]) ++covered[i];
    }
  }
  void Tell(CoverageKeeper& keeper, double weight) const {
    if (count == 0) return;
    for (std::size_t i = 0; i < kBandLevels.size(); ++i) {
      keeper.Observe(kBandLevels[i], static_cast<double>(covered[i]) / static_cast<double>(count), weight);
    }
  }
};

std::vector<bool> FreeLeads(const ValueLimits& limits) {
  std::vector<bool> is_free(limits.lowest.size());
  for (std::size_t i = 0; i < is_free.size(); ++i) is_free[i] = limits.lowest[i] < limits.highest[i];
  return is_free;
}

}  // namespace

Training TrainingOf(const ModelInfo& info, std::optional<Duration> train, std::optional<Duration> refit) {
  return {train ? train : info.train, refit.value_or(info.refit.value_or(Duration{})), info.refit.has_value()};
}

Status FitOn(Forecaster& model, const History& past, const Training& training, std::size_t steps) {
  if (!training.train) return model.Fit(past, steps);
  const auto window = Newest(past, *training.train);
  if (!window) return Propagate(window);
  return model.Fit(*window, steps);
}

Result<Prediction> PredictFrom(const Forecaster& model, const History& past, const ValueLimits& limits,
                               std::size_t steps) {
  auto prediction = model.Predict(past, steps);
  if (!prediction) return prediction;
  if (prediction->values.size() != steps) {
    return Fail(ErrorCode::kInternal, fmt::format("forecast from {}", FormatInstant(past.end())),
                fmt::format("has {} values", prediction->values.size()), fmt::format("must be {}", steps));
  }
  for (std::size_t i = 0; i < steps; ++i) {
    if (std::isfinite(prediction->values[i])) continue;
    return Fail(ErrorCode::kInternal, fmt::format("forecast from {}", FormatInstant(past.end())),
                fmt::format("value {} of {} is not a number", i + 1, steps), "must be finite");
  }
  Clamp(prediction->values, limits);
  return prediction;
}

Result<WalkForward> WalkForward::Start(const Candidate& candidate, const History& all, const Training& training,
                                       std::size_t steps, Duration every) {
  auto model = candidate.make(all);
  if (!model) return Propagate(model);
  return WalkForward(std::move(*model), all, training, steps, every);
}

Status WalkForward::Rehearse(Instant first, const BacktestProgress& progressed) {
  const auto past = Before(*all_, first);
  if (!past) return Propagate(past);
  record_ = ErrorRecord(ScaleOf(*past), RecordCapacity(every_));
  const auto origins =
      RehearsalOrigins(*past, first, every_, past->step() * static_cast<std::int64_t>(steps_), training_.train);
  const Duration refit = training_.is_slow ? std::max(training_.refit, kRehearsalRefit) : training_.refit;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    const auto known = Before(*past, origins[i]);
    if (!known) return Propagate(known);
    Learn(*known);
    if (FitIfDue(*known, refit)) {
      const ValueLimits limits = LimitsOf(*known, steps_);
      if (auto prediction = Predict(*known, limits)) {
        IssuedForecast unseen{origins[i], std::move(*prediction), {}};
        if (IsExperienced()) unseen.bands = MakeBands(record_, keeper_, unseen.prediction.values, limits);
        Await(unseen, FreeLeads(limits));
      }
    }
    if (progressed) progressed(static_cast<double>(i + 1) / static_cast<double>(origins.size()));
  }
  fitted_.reset();  // forecasts must not depend on the fits of the rehearsal
  return {};
}

Result<Step> WalkForward::Forecast(Instant origin) {
  const auto past = Before(*all_, origin);
  if (!past) return Propagate(past);
  Learn(*past);
  if (const auto fitted = FitIfDue(*past, training_.refit); !fitted) return Propagate(fitted);
  const ValueLimits limits = LimitsOf(*past, steps_);
  auto prediction = Predict(*past, limits);
  if (!prediction) return Propagate(prediction);
  Step step{{origin, std::move(*prediction), {}}, FreeLeads(limits)};
  auto& issued = step.issued;
  if (IsExperienced()) issued.bands = MakeBands(record_, keeper_, issued.prediction.values, limits);
  Await(issued, step.is_free);
  if (issued.bands.empty()) {
    issued.bands = MakeBands(ErrorsOfYesterday(*past, steps_), {}, issued.prediction.values, limits);
  }
  return step;
}

Status WalkForward::Finish() {
  Learn(*all_);
  return FitIfDue(*all_, Duration{});
}

bool WalkForward::IsExperienced() const {
  for (std::size_t lead = 0; lead < record_.leads(); ++lead) {
    if (record_.SortedAtLead(lead).size() >= kFewestErrors) return true;
  }
  return false;
}

// Uses `past` only, which ends at the origin.
void WalkForward::Learn(const History& past) {
  const auto& series = past.target.series;
  Coverage coverage;
  for (auto& forecast : pending_) {
    const auto first = static_cast<std::size_t>((forecast.origin - series.start()) / series.step());
    const std::size_t known = std::min(steps_, series.size() - first);
    std::vector<double> actual(steps_, signal::Missing());
    for (std::size_t lead = 0; lead < known; ++lead) actual[lead] = series.values()[first + lead];
    for (std::size_t lead = forecast.known; lead < known && !forecast.bands.empty(); ++lead) {
      if (forecast.is_free[lead] && !signal::IsMissing(actual[lead])) coverage.Add(forecast.bands, lead, actual[lead]);
    }
    forecast.known = known;
    if (forecast.is_recorded) record_.Add(forecast.origin, forecast.values, actual);
  }
  while (!pending_.empty() && pending_.front().known == steps_) pending_.pop_front();
  const double days = learned_ ? std::chrono::duration<double>(past.end() - *learned_) / kDay : 1.0;
  coverage.Tell(keeper_, std::min(days, kMostWeight));
  learned_ = past.end();
}

Status WalkForward::FitIfDue(const History& past, Duration refit) {
  if (fitted_ && past.end() - *fitted_ < refit) return {};
  const Stopwatch watch(fit_s_);
  const auto status = FitOn(*model_, past, training_, steps_);
  if (status) fitted_ = past.end();
  return status;
}

Result<Prediction> WalkForward::Predict(const History& past, const ValueLimits& limits) {
  const Stopwatch watch(predict_s_);
  return PredictFrom(*model_, past, limits, steps_);
}

void WalkForward::Await(const IssuedForecast& issued, const std::vector<bool>& is_free) {
  const bool is_recorded = !recorded_ || issued.origin - *recorded_ >= std::min(RecordSpacing(every_), kDay);
  if (is_recorded) recorded_ = issued.origin;
  pending_.push_back({issued.origin, issued.prediction.values, issued.bands, is_free, 0, is_recorded});
}

}  // namespace heliostat::forecast
