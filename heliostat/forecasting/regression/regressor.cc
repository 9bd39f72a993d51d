#include "heliostat/forecasting/regression/regressor.h"

#include <fmt/format.h>
#include <cmath>
#include <numbers>

#include <string>

#include "heliostat/forecasting/regression/regressions.h"

namespace heliostat::regression {

Features FeaturesOf(Instant t, double previous) {
  constexpr Duration kDay = std::chrono::days{1};
  const Duration into_day = t - std::chrono::floor<std::chrono::days>(t);
  const double angle = 2 * std::numbers::pi * static_cast<double>(into_day.count()) / static_cast<double>(kDay.count());
  return {std::sin(angle), std::cos(angle), previous};
}

Result<std::unique_ptr<Regressor>> MakeRegressor(std::string_view name) {
  if (name == "svr") return MakeSvr();
  if (name == "linear") return MakeLinear();
  if (name == "gradient-boosting") return MakeGradientBoosting();
  if (name == "adaboost") return MakeAdaboost();
  if (name == "random-forest") return MakeRandomForest();
  return Fail(ErrorCode::kNotFound, "regression", fmt::format("'{}' is not known", Printable(name, 60)),
              "one of svr, linear, gradient-boosting, adaboost, random-forest");
}

}  // namespace heliostat::regression
