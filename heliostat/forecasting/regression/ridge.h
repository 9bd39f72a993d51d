#pragma once

#include <span>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/forecasting/regression/matrix.h"

namespace heliostat::regression {

// Many linear regressions on the same features at once, one a target column,
// each shrunk towards zero by its own penalty. Features are standardised inside,
// so that a penalty means the same for all; the constant is not shrunk.
class Ridge {
 public:
  // `weights`: one a row, some above zero; `penalties`: one a target column, as a
  // share of the weight of all rows. Few different penalties are cheap, many are not.
  static Ridge Fit(const Matrix& features, std::span<const double> weights, const Matrix& targets,
                   std::span<const double> penalties);

  // One value a target column; `features` as many as it was fitted on.
  std::vector<double> Predict(std::span<const double> features) const;

  std::size_t features() const { return mean_.size(); }
  std::size_t targets() const { return constant_.size(); }

  io::Json Save() const;
  static Result<Ridge> Load(const io::Json& saved);

 private:
  Ridge() = default;

  std::vector<double> mean_;     // of each feature
  std::vector<double> inverse_;  // of its spread
  std::vector<double> constant_;
  Matrix slope_;  // a row a feature, a column a target
};

}  // namespace heliostat::regression
