#pragma once

#include <span>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/forecasting/regression/matrix.h"

namespace heliostat::regression {

// Several linear regressions on the same features, one per target column, each shrunk towards zero by its own penalty.
// Features are standardised inside, so that a penalty has the same effect on all of them; the constant is not shrunk.
// Immutable.
class Ridge {
 public:
  // `weights` has one value per row, none negative and some above zero; `penalties` has one per target column, as a
  // share of the weight of all rows. Each distinct penalty costs one decomposition.
  static Ridge Fit(const Matrix& features, std::span<const double> weights, const Matrix& targets,
                   std::span<const double> penalties);

  // One value per target column; `features` must have as many values as in Fit().
  std::vector<double> Predict(std::span<const double> features) const;

  std::size_t features() const { return mean_.size(); }
  std::size_t targets() const { return constant_.size(); }

  // Load() restores the same numbers, or fails with kInvalidArgument.
  io::Json Save() const;
  static Result<Ridge> Load(const io::Json& saved);

 private:
  Ridge() = default;

  std::vector<double> mean_;     // of each feature
  std::vector<double> inverse_;  // of its spread
  std::vector<double> constant_;
  Matrix slope_;  // one row per feature, one column per target
};

}  // namespace heliostat::regression
