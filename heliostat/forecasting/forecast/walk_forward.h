#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/forecasting/forecast/backtest.h"

namespace heliostat::forecast {

// What a model is fitted on and how often.
struct Training {
  std::optional<Duration> train;  // nothing: all there is
  Duration refit{};               // zero: at every origin
  bool is_slow = false;           // whether to spare it fits while it rehearses
};
Training TrainingOf(const ModelInfo& info, std::optional<Duration> train, std::optional<Duration> refit);

// A model, fitted on what `past` shows of its training window.
Status FitOn(Forecaster& model, const History& past, const Training& training, std::size_t steps);
// Its forecast from past.end() on: as many finite values as asked for, inside the limits.
Result<Prediction> PredictFrom(const Forecaster& model, const History& past, const ValueLimits& limits,
                               std::size_t steps);

// A forecast, and where limits left it a choice: a band that cannot fail to
// cover says nothing.
struct Step {
  IssuedForecast issued;
  std::vector<bool> is_free;  // by lead
};

// One model on its way through time. At each origin it learns how its earlier
// forecasts fared, as far as that is known by then, is fitted if that is due, and
// forecasts. Origins come in order. Refers to `all`.
class WalkForward {
 public:
  // `every` is the distance of the origins to come.
  static Result<WalkForward> Start(const Candidate& candidate, const History& all, const Training& training,
                                   std::size_t steps, Duration every);

  // Forecasts that nobody sees, before `first`: comes before anything else. What
  // fails for want of history is passed over.
  Status Rehearse(Instant first, const BacktestProgress& progressed);

  // The next forecast that counts.
  Result<Step> Forecast(Instant origin);
  // Learns and fits with all of the history, for forecasts after its end.
  Status Finish();

  // Errors enough to rest bands on?
  bool IsExperienced() const;
  const ErrorRecord& record() const { return record_; }
  const CoverageKeeper& keeper() const { return keeper_; }
  std::unique_ptr<Forecaster> TakeModel() { return std::move(model_); }
  double fit_s() const { return fit_s_; }
  double predict_s() const { return predict_s_; }

 private:
  // A forecast whose end is not known yet.
  struct Pending {
    Instant origin;
    std::vector<double> values;
    std::vector<Band> bands;  // empty when they rest on another's errors
    std::vector<bool> is_free;
    std::size_t known = 0;  // leads learned from so far
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
