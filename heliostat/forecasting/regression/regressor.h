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

// The three features of Chase for a value: sine and cosine of its time of day, and the value before it.
using Features = std::array<double, 3>;
Features FeaturesOf(Instant t, double previous);

// A regression on these features; the common interface of the five regressions that Chase compared. Not thread-safe.
class Regressor {
 public:
  virtual ~Regressor() = default;
  // `values` has one value per row; at least two rows, all numbers finite.
  virtual Status Fit(std::span<const Features> rows, std::span<const double> values) = 0;
  // Needs a successful Fit() or Load().
  virtual double Predict(const Features& row) const = 0;
  // Load() restores a model that predicts the same numbers; it fails for anything that Save() did not write.
  virtual io::Json Save() const = 0;
  virtual Status Load(const io::Json& saved) = 0;
};

// Accepts "svr", "linear", "gradient-boosting", "adaboost" and "random-forest"; kNotFound for other names.
Result<std::unique_ptr<Regressor>> MakeRegressor(std::string_view name);

}  // namespace heliostat::regression
