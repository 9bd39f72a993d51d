#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/io/json.h"

namespace heliostat::regression {

// Chase's three features of a value: sine and cosine of its time of day, and
// the value before it.
using Features = std::array<double, 3>;
Features FeaturesOf(Instant t, double previous);

// A regression from those features. The five that Chase compared stand behind
// this interface.
class Regressor {
 public:
  virtual ~Regressor() = default;
  // As many values as rows, at least two; all finite.
  virtual Status Fit(std::span<const Features> rows, std::span<const double> values) = 0;
  virtual double Predict(const Features& row) const = 0;
  virtual io::Json Save() const = 0;
  virtual Status Load(const io::Json& saved) = 0;
};

// "svr", "linear", "gradient-boosting", "adaboost", "random-forest".
Result<std::unique_ptr<Regressor>> MakeRegressor(std::string_view name);

}  // namespace heliostat::regression
