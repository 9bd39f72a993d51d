#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/forecasting/forecast/bands.h"
#include "heliostat/forecasting/forecast/forecaster.h"
#include "heliostat/forecasting/forecast/score.h"

namespace heliostat::forecast {

// When forecasts are issued and what they are fitted on.
struct BacktestSchedule {
  Instant first;                  // first origin
  Instant last;                   // last origin, inclusive
  Duration every;                 // distance of origins
  Duration horizon;               // length of each forecast
  std::optional<Duration> train;  // length of the newest history to fit on; absent: that of the model
  std::optional<Duration> refit;  // distance of fits; absent: that of the model
};

// The origins of a schedule whose whole horizon is inside the history and that have a known value before them.
std::vector<Instant> OriginsOf(const BacktestSchedule& schedule, const History& all);

// A model for a backtest. `make` gets the data only so that a test can plant a leak; other models ignore it.
struct Candidate {
  ModelInfo info;
  std::function<Result<std::unique_ptr<Forecaster>>(const History& all)> make;
};
// A candidate of a model in Models(); kNotFound for other names.
Result<Candidate> CandidateOf(std::string_view model);

// One forecast of a backtest, kept for pages and for other scores.
struct IssuedForecast {
  Instant origin;
  Prediction prediction;
  std::vector<Band> bands;
};

// The results of one model.
struct ModelResult {
  std::string name;
  ForecastScore score;                 // over all origins and leads
  std::vector<ForecastScore> by_lead;  // per step of the horizon
  std::vector<ForecastScore> by_day;   // per day of the horizon
  std::vector<IssuedForecast> forecasts;
  std::vector<std::string> answered;  // how often each model answered: "auto: 181 of 181"
  Duration train;                     // zero: the whole history
  Duration refit;                     // zero: at every origin
  double fit_s = 0;                   // seconds for all fits
  double predict_s = 0;               // seconds for all predictions
};

// The results of all models at the same origins.
struct BacktestResult {
  std::vector<Instant> origins;
  Duration horizon;
  std::vector<ModelResult> models;
};

// Called in the thread of Backtest() with the share of the work that is done, 0 to 1.
using BacktestProgress = std::function<void(double)>;

// Runs every model at every origin on `Before(all, origin)` only. Before the first origin each model rehearses on the
// days before it, so that its bands are based on errors of forecasts and not of fits. kInvalidArgument for a schedule
// that does not fit the step or leaves no origin; an error of a model names the model and the origin. `progressed` may
// be empty.
Result<BacktestResult> Backtest(const History& all, const BacktestSchedule& schedule,
                                const std::vector<Candidate>& models, const BacktestProgress& progressed);

// The first origin found at which the forecast of a candidate depends on later values; std::nullopt when there is none.
// Makes the same forecast again with the whole future replaced by noise. Tries up to `tries` origins.
Result<std::optional<Instant>> FindLeak(const History& all, const BacktestSchedule& schedule, const Candidate& model,
                                        std::size_t tries);

}  // namespace heliostat::forecast
