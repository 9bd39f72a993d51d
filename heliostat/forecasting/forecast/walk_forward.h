#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/forecasting/forecast/backtest.h"

namespace heliostat::forecast {

// The history that a model is fitted on and the distance of fits.
struct Training {
  std::optional<Duration> train;  // absent: the whole history
  Duration refit{};               // zero: at every origin
  bool is_slow = false;           // fitted less often during the rehearsal
};
// The training of a model; `train` and `refit` override its defaults.
Training TrainingOf(const ModelInfo& info, std::optional<Duration> train, std::optional<Duration> refit);

// Fits the model on the training window at the end of `past`.
Status FitOn(Forecaster& model, const History& past, const Training& training, std::size_t steps);
// The forecast from past.end() on: exactly `steps` finite values inside the limits; kInternal when the model returns
// others.
Result<Prediction> PredictFrom(const Forecaster& model, const History& past, const ValueLimits& limits,
                               std::size_t steps);

// A forecast, and the leads at which the limits leave more than one value. At other leads a band always covers and is
// not evaluated.
struct Step {
  IssuedForecast issued;
  std::vector<bool> is_free;  // per lead
};

// Runs one model through the history. At each origin it records the errors of earlier forecasts as far as they are
// known, fits the model if due, and forecasts. Origins must be in order. Refers to `all`, which must outlive it. Not
// thread-safe.
class WalkForward {
 public:
  // `every` is the distance of the later origins.
  static Result<WalkForward> Start(const Candidate& candidate, const History& all, const Training& training,
                                   std::size_t steps, Duration every);

  // Makes forecasts before `first` to collect errors; must be called first. Skips forecasts that fail because of a
  // short history.
  Status Rehearse(Instant first, const BacktestProgress& progressed);

  // Makes the forecast at `origin`.
  Result<Step> Forecast(Instant origin);
  // Records errors and fits with the whole history, for forecasts after its end.
  Status Finish();

  // True when there are enough errors to base bands on.
  bool IsExperienced() const;
  const ErrorRecord& record() const { return record_; }
  const CoverageKeeper& keeper() const { return keeper_; }
  // Moves the model out; no other function may be called afterwards.
  std::unique_ptr<Forecaster> TakeModel() { return std::move(model_); }
  // Seconds spent so far.
  double fit_s() const { return fit_s_; }
  double predict_s() const { return predict_s_; }

 private:
  // A forecast with leads that are not known yet.
  struct Pending {
    Instant origin;
    std::vector<double> values;
    std::vector<Band> bands;  // empty when they are based on errors of another model
    std::vector<bool> is_free;
    std::size_t known = 0;  // leads with known values so far
    bool is_recorded = false;
  };

  WalkForward(std::unique_ptr<Forecaster> model, const History& all, const Training& training, std::size_t steps,
              Duration every)
      : model_(std::move(model)),
        all_(&all),
        training_(training),
        steps_(steps),
        every_(every),
        record_(ErrorScale::kAbsolute, 1) {}

  void Learn(const History& past);
  Status FitIfDue(const History& past, Duration refit);
  Result<Prediction> Predict(const History& past, const ValueLimits& limits);
  void Await(const IssuedForecast& issued, const std::vector<bool>& is_free);

  std::unique_ptr<Forecaster> model_;
  const History* all_;
  Training training_;
  std::size_t steps_;
  Duration every_;
  ErrorRecord record_;
  CoverageKeeper keeper_;
  std::deque<Pending> pending_;
  std::optional<Instant> fitted_;
  std::optional<Instant> learned_;
  std::optional<Instant> recorded_;
  double fit_s_ = 0, predict_s_ = 0;
};

}  // namespace heliostat::forecast
