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

// When forecasts are issued and on what they are fitted.
struct BacktestSchedule {
  Instant first;                  // first origin
  Instant last;                   // last origin, itself included
  Duration every;                 // from origin to origin
  Duration horizon;               // how far each forecast reaches
  std::optional<Duration> train;  // newest history to fit on; nothing: the model's own choice
  std::optional<Duration> refit;  // from fit to fit; nothing: the model's own choice
};

// The origins of a schedule whose whole horizon lies inside the history.
std::vector<Instant> OriginsOf(const BacktestSchedule& schedule, const History& all);

// How a backtest makes a model. It is handed the data only so that a test can
// plant a leak: an honest model ignores it.
struct Candidate {
  ModelInfo info;
  std::function<Result<std::unique_ptr<Forecaster>>(const History& all)> make;
};
Result<Candidate> CandidateOf(std::string_view model);

// One forecast of a backtest, kept for pages and for those who score otherwise.
struct IssuedForecast {
  Instant origin;
  Prediction prediction;
  std::vector<Band> bands;
};

struct ModelResult {
  std::string name;
  ForecastScore score;                 // over all origins and leads
  std::vector<ForecastScore> by_lead;  // by step of the horizon
  std::vector<ForecastScore> by_day;   // by day of the horizon
  std::vector<IssuedForecast> forecasts;
  std::vector<std::string> answered;  // "auto (full): 181 of 181"
  Duration train;                     // what was used; zero: all there was
  Duration refit;                     // zero: at every origin
  double fit_s = 0;                   // all fits together
  double predict_s = 0;               // all predictions together
};

struct BacktestResult {
  std::vector<Instant> origins;
  Duration horizon;
  std::vector<ModelResult> models;
};

// Called with the share done, 0 to 1.
using BacktestProgress = std::function<void(double)>;

// Every model at every origin, seeing only what `Before(all, origin)` shows.
// Before the first origin each model rehearses on the days before it, so that
// its bands rest on errors of forecasts and not of fits.
Result<BacktestResult> Backtest(const History& all, const BacktestSchedule& schedule,
                                const std::vector<Candidate>& models, const BacktestProgress& progressed);

// The origin at which a candidate's forecast depends on values that come later,
// found by making the same forecast again with all of the future replaced by
// noise; nothing when it does not. Tries up to `tries` origins.
Result<std::optional<Instant>> FindLeak(const History& all, const BacktestSchedule& schedule, const Candidate& model,
                                        std::size_t tries);

}  // namespace heliostat::forecast
