#include "heliostat/forecast/regressor.h"

#include <fmt/format.h>

#include <string>

#include "heliostat/forecast/regressions.h"

namespace heliostat::forecast {

Result<std::unique_ptr<Regressor>> MakeRegressor(std::string_view name) {
  if (name == "svr") return MakeSvr();
  if (name == "linear") return MakeLinear();
  if (name == "gradient-boosting") return MakeGradientBoosting();
  if (name == "adaboost") return MakeAdaboost();
  if (name == "random-forest") return MakeRandomForest();
  return Fail(ErrorCode::kNotFound, "regression", fmt::format("there is none called '{}'", Printable(name, 60)),
              "one of svr, linear, gradient-boosting, adaboost, random-forest");
}

}  // namespace heliostat::forecast
