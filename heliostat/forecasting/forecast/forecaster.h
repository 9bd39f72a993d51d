#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/forecasting/forecast/history.h"

namespace heliostat::forecast {

// What a model answers: one value a step from the origin on.
struct Prediction {
  std::vector<double> values;
  std::string answered_by;  // the model that answered: "auto" may hand over to another
  std::string reason;       // why that one, for people; empty when there was no choice
};

// A model that learns from a history and says what comes next. Everything it may
// know comes through the arguments. Bands and scenarios are made around any
// model, from its own past errors (bands.h).
class Forecaster {
 public:
  virtual ~Forecaster() = default;

  // Learns from `past`; later predictions ask for at most `steps`. Fails with a
  // reason when the history is too short or holds nothing.
  virtual Status Fit(const History& past, std::size_t steps) = 0;

  // The `steps` values from past.end() on. `past` may reach further than what
  // was fitted; a fitted model follows the newest values without a new fit.
  virtual Result<Prediction> Predict(const History& past, std::size_t steps) const = 0;

  // What was learned, and back again: a loaded model predicts the same numbers.
  virtual io::Json Save() const = 0;
  virtual Status Load(const io::Json& saved) = 0;
};

// What a caller needs to know of a model before it makes one.
struct ModelInfo {
  std::string_view name;
  std::string_view description;
  std::optional<Duration> train;  // history it is fitted on when nobody says; nothing: all there is
  std::optional<Duration> refit;  // how often a backtest fits it anew when nobody says; nothing: at every origin
};

// All models, in the order that help and tables show them.
std::span<const ModelInfo> Models();
Result<ModelInfo> FindModel(std::string_view name);
Result<std::unique_ptr<Forecaster>> MakeForecaster(std::string_view name);

}  // namespace heliostat::forecast
