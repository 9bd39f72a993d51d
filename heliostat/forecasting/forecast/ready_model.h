#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/forecasting/forecast/backtest.h"
#include "heliostat/forecasting/forecast/bands.h"
#include "heliostat/forecasting/forecast/forecaster.h"

namespace heliostat::forecast {

// A forecast for users: values, bands, and the model that made it.
struct ForecastAnswer {
  Instant issued;
  Duration step;
  Prediction prediction;
  std::vector<Band> bands;
};

// A fitted model with the errors of its rehearsal on the days before. `forecast show`, planning and live control use
// it. It can be saved and loaded as a whole. Not thread-safe.
class ReadyModel {
 public:
  // Fits `model` on the newest `train` of `past` (absent: the default of the model) and rehearses it, for forecasts of
  // up to `steps`, which are made every `every` (absent: every day, or every step for less than a day of steps).
  // kNotFound for an unknown model, kInvalidArgument for zero steps; else the error of the model when it cannot be
  // fitted.
  static Result<ReadyModel> Make(std::string_view model, const History& past, std::size_t steps,
                                 std::optional<Duration> train = std::nullopt,
                                 std::optional<Duration> every = std::nullopt);
  // The same for a model that is not in Models().
  static Result<ReadyModel> Make(const Candidate& model, const History& past, std::size_t steps,
                                 std::optional<Duration> train = std::nullopt,
                                 std::optional<Duration> every = std::nullopt);

  // The forecast from past.end() on, with at most the steps of Make(). `past` may end later than the fitted history but
  // not earlier: the model would use future values.
  Result<ForecastAnswer> Ask(const History& past, std::size_t steps) const;
  // Possible futures around an answer; see MakeScenarios().
  std::vector<std::vector<double>> Scenarios(const History& past, const ForecastAnswer& answer, std::size_t count,
                                             RandomStream random) const;

  const ModelInfo& info() const { return info_; }
  Instant fitted_until() const { return fitted_until_; }
  // The errors of the model, or those of `yesterday` when the history was too short to rehearse.
  const ErrorRecord& record() const { return record_; }

  // The model as one JSON document. Load() refuses a document of another version (kUnsupported) or another format
  // (kCorrupt). Ask() refuses a history with another step or kind of signal.
  io::Json Save() const;
  static Result<ReadyModel> Load(const io::Json& saved);
  // The same with an unfitted model of the caller.
  static Result<ReadyModel> Load(const io::Json& saved, const ModelInfo& info, std::unique_ptr<Forecaster> model);

 private:
  ReadyModel(ModelInfo info, std::unique_ptr<Forecaster> model, ErrorRecord record)
      : info_(info), model_(std::move(model)), record_(std::move(record)) {}

  Status RefuseAsking(const History& past, std::size_t steps) const;

  ModelInfo info_;
  std::unique_ptr<Forecaster> model_;
  ErrorRecord record_;
  CoverageKeeper keeper_;
  Instant fitted_until_;
  Duration step_{};
  std::size_t steps_ = 0;  // the largest number that Ask() accepts
  signal::Kind kind_ = signal::Kind::kOther;
};

}  // namespace heliostat::forecast
