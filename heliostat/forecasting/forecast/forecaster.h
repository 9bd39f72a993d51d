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

// The answer of a model: one value per step from the origin on.
struct Prediction {
  std::vector<double> values;
  std::string answered_by;  // the model that answered; "auto" can use a simpler one
  std::string reason;       // why that model, for users; empty when there was no choice
};

// A model that learns from a history and predicts the next values. All its input comes through the arguments. Bands and
// scenarios are made around any model from its past errors (bands.h). Not thread-safe.
class Forecaster {
 public:
  virtual ~Forecaster() = default;

  // Learns from `past`; later predictions have at most `steps`. Fails with a reason when the history is too short or
  // has no value. May be called again.
  virtual Status Fit(const History& past, std::size_t steps) = 0;

  // The `steps` values from past.end() on. `past` may be longer than the fitted history: a fitted model follows the
  // newest values without a new fit. Call after a successful Fit() or Load().
  virtual Result<Prediction> Predict(const History& past, std::size_t steps) const = 0;

  // Save() returns the learned state; after Load() of it a model predicts the same numbers. Load() fails for the state
  // of another model or version.
  virtual io::Json Save() const = 0;
  virtual Status Load(const io::Json& saved) = 0;
};

// Facts about a model.
struct ModelInfo {
  std::string_view name;
  std::string_view description;
  std::optional<Duration> train;  // default length of the history to fit on; absent: all of it
  std::optional<Duration> refit;  // default distance of fits in a backtest; absent: at every origin
};

// All models, in the order of help texts and tables.
std::span<const ModelInfo> Models();
// kNotFound for a name that is not in Models(); the message suggests the nearest name.
Result<ModelInfo> FindModel(std::string_view name);
Result<std::unique_ptr<Forecaster>> MakeForecaster(std::string_view name);

}  // namespace heliostat::forecast
