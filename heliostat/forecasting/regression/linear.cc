#include <Eigen/Dense>
#include <cmath>

#include "heliostat/base/core/check.h"
#include "heliostat/forecasting/regression/regressions.h"
#include "heliostat/forecasting/regression/saved.h"

namespace heliostat::regression {
namespace {

// Columns whose spread is this much smaller than the widest contain rounding errors only, such as the previous value in
// a constant series.
constexpr double kRankTolerance = 1e-12;

class Linear : public Regressor {
 public:
  Status Fit(std::span<const Features> rows, std::span<const double> values) override {
    Check(rows.size() == values.size() && rows.size() >= 2, "one value per row, at least two rows");
    const auto count = static_cast<Eigen::Index>(rows.size());
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>> features(rows.front().data(),
                                                                                               count, 3);
    const Eigen::Map<const Eigen::VectorXd> targets(values.data(), count);
    // Centred, so that the intercept is not part of the norm.
    const Eigen::RowVector3d centre = features.colwise().mean();
    const double mean = targets.mean();
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
    decomposition.setThreshold(kRankTolerance);
    decomposition.compute(features.rowwise() - centre);
    const Eigen::Vector3d slopes = decomposition.solve((targets.array() - mean).matrix());
    const double intercept = mean - centre.dot(slopes);
    if (!slopes.allFinite() || !std::isfinite(intercept)) {
      return Fail(ErrorCode::kInvalidArgument, "linear", "the values are too large to fit");
    }
    slopes_ = {slopes[0], slopes[1], slopes[2]};
    intercept_ = intercept;
    return {};
  }

  double Predict(const Features& row) const override {
    return intercept_ + slopes_[0] * row[0] + slopes_[1] * row[1] + slopes_[2] * row[2];
  }

  io::Json Save() const override {
    io::Json saved;
    saved.Set("intercept", intercept_).Set("slopes", SaveNumbers(slopes_));
    return saved;
  }

  Status Load(const io::Json& saved) override {
    const auto intercept = LoadNumber(saved, "intercept");
    if (!intercept) return Propagate(intercept);
    const auto slopes = LoadNumbers(saved, "slopes");
    if (!slopes) return Propagate(slopes);
    if (slopes->size() != slopes_.size()) {
      return Fail(ErrorCode::kCorrupt, saved.where(), "the number of slopes is wrong", "must be three");
    }
    intercept_ = *intercept;
    std::copy(slopes->begin(), slopes->end(), slopes_.begin());
    return {};
  }

 private:
  Features slopes_{};
  double intercept_ = 0;
};

}  // namespace

std::unique_ptr<Regressor> MakeLinear() { return std::make_unique<Linear>(); }

}  // namespace heliostat::regression
