#include "heliostat/forecasting/forecast/chase_model.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "heliostat/forecasting/forecast/references.h"
#include "heliostat/forecasting/regression/saved.h"

namespace heliostat::forecast {
namespace {

constexpr std::size_t kFewestPairs = 8;

struct Pairs {
  std::vector<regression::Features> rows;
  std::vector<double> values;
};

// Each value with the one before it, where both are known. The value before the first one of the window is the last one
// of the window, as if the day were cyclic. The published code of Chase uses the last value of the whole file there,
// which is in the future of most origins; inside the window all values are past.
Pairs PairsOf(const signal::StepSeries& series) {
  const auto& values = series.values();
  Pairs pairs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double previous = i > 0 ? values[i - 1] : values.back();
    if (signal::IsMissing(previous) || signal::IsMissing(values[i])) continue;
    pairs.rows.push_back(regression::FeaturesOf(series.TimeOf(i), previous));
    pairs.values.push_back(values[i]);
  }
  return pairs;
}

}  // namespace

Result<std::unique_ptr<Forecaster>> ChaseModel::Make(std::string_view name) {
  auto regressor = regression::MakeRegressor(name);
  if (!regressor) return Propagate(regressor);
  return std::unique_ptr<Forecaster>(new ChaseModel(name, std::move(*regressor)));
}

Status ChaseModel::Fit(const History& past, std::size_t /*steps*/) {
  const Pairs pairs = PairsOf(past.target.series);
  if (pairs.rows.size() < kFewestPairs) {
    return Fail(ErrorCode::kInvalidArgument, "model " + name_,
                fmt::format("the history has {} known values with a known one before", pairs.rows.size()),
                fmt::format("at least {} are needed", kFewestPairs));
  }
  const Status fitted = regressor_->Fit(pairs.rows, pairs.values);
  if (!fitted) return fitted;
  is_fitted_ = true;
  return {};
}

Result<Prediction> ChaseModel::Predict(const History& past, std::size_t steps) const {
  if (!is_fitted_) return Fail(ErrorCode::kInvalidArgument, "model " + name_, "is not fitted", "fit or load it first");
  const auto& series = past.target.series;
  const auto newest = NewestKnown(series, "model " + name_);
  if (!newest) return Propagate(newest);
  double previous = series.values()[*newest];
  Prediction prediction{{}, name_, {}};
  prediction.values.reserve(steps);
  // Missing values at the end are bridged with predictions.
  for (std::size_t i = *newest + 1; i < series.size() + steps; ++i) {
    const double next = regressor_->Predict(regression::FeaturesOf(series.TimeOf(i), previous));
    if (std::isfinite(next)) previous = next;  // a regression on its own predictions can diverge
    if (i >= series.size()) prediction.values.push_back(previous);
  }
  return prediction;
}

io::Json ChaseModel::Save() const {
  return regression::SaveModel(name_).Set("regression", is_fitted_ ? regressor_->Save() : io::Json());
}

Status ChaseModel::Load(const io::Json& saved) {
  const Status is_ours = regression::ExpectModel(saved, name_);
  if (!is_ours) return is_ours;
  const auto regression = saved.Get("regression");
  if (!regression) return Propagate(regression);
  const Status loaded = regressor_->Load(**regression);
  if (!loaded) return loaded;
  is_fitted_ = true;
  return {};
}

}  // namespace heliostat::forecast
