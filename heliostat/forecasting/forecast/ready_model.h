#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/forecasting/forecast/backtest.h"
#include "heliostat/forecasting/forecast/bands.h"
#include "heliostat/forecasting/forecast/forecaster.h"

namespace heliostat::forecast {

// A forecast as users get it: the likeliest course, how sure it is, who made it.
struct ForecastAnswer {
  Instant issued;
  Duration step;
  Prediction prediction;
  std::vector<Band> bands;
};

// A model ready to answer: fitted, and with the record of what it got wrong when
// it rehearsed on the days before. What `forecast show`, planning and live
// control use; saved whole.
class ReadyModel {
 public:
  // Fits `model` on the newest `train` of `past` (nothing: its own choice) and
  // rehearses it, for forecasts of up to `steps`.
  static Result<ReadyModel> Make(std::string_view model, const History& past, std::size_t steps,
                                 std::optional<Duration> train = std::nullopt);
  // The same for a model that the registry does not know.
  static Result<ReadyModel> Make(const Candidate& model, const History& past, std::size_t steps,
                                 std::optional<Duration> train = std::nullopt);

  // The forecast from past.end() on; `past` may reach further than what was
  // fitted, but not less far: the model would know what is to come.
  Result<ForecastAnswer> Ask(const History& past, std::size_t steps) const;
  // Possible futures around an answer; see MakeScenarios.
  std::vector<std::vector<double>> Scenarios(const History& past, const ForecastAnswer& answer, std::size_t count,
                                             RandomStream random) const;

  const ModelInfo& info() const { return info_; }
  Instant fitted_until() const { return fitted_until_; }
  // Its own errors, or those of `yesterday` when the history was too short to rehearse.
  const ErrorRecord& record() const { return record_; }

  // One JSON document; Load refuses one of another version, and Ask a history of
  // another step or kind of signal.
  io::Json Save() const;
  static Result<ReadyModel> Load(const io::Json& saved);
  // The same into a model of the caller's, not fitted yet.
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
  std::size_t steps_ = 0;  // most that can be asked for
  signal::Kind kind_ = signal::Kind::kOther;
};

}  // namespace heliostat::forecast
