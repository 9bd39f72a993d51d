#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heliostat/forecasting/forecast/forecaster.h"
#include "heliostat/forecasting/regression/regressor.h"

namespace heliostat::forecast {

// The forecast of Chase (Yang et al. 2023): a regression on the time of day and the value before, fitted on the newest
// day. One step ahead it predicts from measured values, further ahead from its own predictions. Not thread-safe.
class ChaseModel : public Forecaster {
 public:
  // `name` is one that MakeRegressor() accepts.
  static Result<std::unique_ptr<Forecaster>> Make(std::string_view name);

  // Learns from the whole of `past`; the caller chooses the window. Needs at least 8 known values with a known value
  // before.
  Status Fit(const History& past, std::size_t steps) override;
  Result<Prediction> Predict(const History& past, std::size_t steps) const override;
  io::Json Save() const override;
  Status Load(const io::Json& saved) override;

 private:
  ChaseModel(std::string_view name, std::unique_ptr<regression::Regressor> regressor)
      : name_(name), regressor_(std::move(regressor)) {}

  std::string name_;
  std::unique_ptr<regression::Regressor> regressor_;
  bool is_fitted_ = false;
};

}  // namespace heliostat::forecast
