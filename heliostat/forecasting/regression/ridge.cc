#include "heliostat/forecasting/regression/ridge.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "heliostat/base/core/check.h"
#include "heliostat/forecasting/regression/saved.h"

namespace heliostat::regression {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<const RowMajor>;

View ViewOf(const Matrix& matrix) {
  return {matrix.values.data(), static_cast<Eigen::Index>(matrix.rows), static_cast<Eigen::Index>(matrix.columns)};
}

Eigen::Map<const Eigen::VectorXd> ViewOf(std::span<const double> numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}

}  // namespace

Ridge Ridge::Fit(const Matrix& features, std::span<const double> weights, const Matrix& targets,
                 std::span<const double> penalties) {
  const View x = ViewOf(features);
  const View y = ViewOf(targets);
  const auto w = ViewOf(weights);
  const double total = w.sum();
  Check(total > 0, "a regression needs rows with a positive weight");

  const Eigen::RowVectorXd mean = (w.transpose() * x) / total;
  const Eigen::RowVectorXd target_mean = (w.transpose() * y) / total;
  RowMajor centred = x.rowwise() - mean;
  Eigen::RowVectorXd inverse = (w.transpose() * centred.cwiseAbs2() / total).cwiseSqrt();
  // A constant feature carries no information: its weight is zero.
  inverse = inverse.unaryExpr([](double spread) { return spread > 1e-9 ? 1 / spread : 0.0; });
  centred.array().rowwise() *= inverse.array();
  const Eigen::VectorXd root = w.cwiseSqrt();
  centred.array().colwise() *= root.array();
  RowMajor response = y.rowwise() - target_mean;
  response.array().colwise() *= root.array();

  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(x.cols(), x.cols());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(centred.transpose());
  const RowMajor right = centred.transpose() * response;

  Ridge ridge;
  ridge.mean_.assign(mean.begin(), mean.end());
  ridge.inverse_.assign(inverse.begin(), inverse.end());
  ridge.constant_.assign(target_mean.begin(), target_mean.end());
  ridge.slope_ = Matrix::Zeros(features.columns, targets.columns);
  Eigen::Map<RowMajor> slope(ridge.slope_.values.data(), x.cols(), y.cols());

  std::vector<double> distinct(penalties.begin(), penalties.end());
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (const double penalty : distinct) {
    Eigen::MatrixXd shrunk = gram;
    shrunk.diagonal().array() += penalty * total + 1e-9;
    const Eigen::LLT<Eigen::MatrixXd> solver(shrunk);
    std::vector<Eigen::Index> mine;
    for (std::size_t k = 0; k < penalties.size(); ++k) {
      if (penalties[k] == penalty) mine.push_back(static_cast<Eigen::Index>(k));
    }
    const Eigen::MatrixXd part = right(Eigen::all, mine);
    const Eigen::MatrixXd solved = solver.solve(part);
    slope(Eigen::all, mine) = solved;
  }
  return ridge;
}

std::vector<double> Ridge::Predict(std::span<const double> features) const {
  Check(features.size() == mean_.size(), "the number of features must be that of the fit");
  std::vector<double> values = constant_;
  for (std::size_t j = 0; j < features.size(); ++j) {
    const double x = (features[j] - mean_[j]) * inverse_[j];
    if (x == 0) continue;
    const auto slopes = slope_.Row(j);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] += x * slopes[k];
  }
  return values;
}

io::Json Ridge::Save() const {
  io::Json saved;
  saved.Set("mean", SaveNumbers(mean_)).Set("inverse_spread", SaveNumbers(inverse_));
  saved.Set("constant", SaveNumbers(constant_)).Set("slope", SaveNumbers(slope_.values));
  return saved;
}

Result<Ridge> Ridge::Load(const io::Json& saved) {
  Ridge ridge;
  const auto take = [&saved](std::string_view key, std::vector<double>& into) -> Status {
    auto numbers = LoadNumbers(saved, key);
    if (!numbers) return Propagate(numbers);
    into = std::move(*numbers);
    return {};
  };
  if (auto status = take("mean", ridge.mean_); !status) return Propagate(status);
  if (auto status = take("inverse_spread", ridge.inverse_); !status) return Propagate(status);
  if (auto status = take("constant", ridge.constant_); !status) return Propagate(status);
  if (auto status = take("slope", ridge.slope_.values); !status) return Propagate(status);
  ridge.slope_.rows = ridge.mean_.size();
  ridge.slope_.columns = ridge.constant_.size();
  if (ridge.inverse_.size() != ridge.mean_.size() ||
      ridge.slope_.values.size() != ridge.slope_.rows * ridge.slope_.columns) {
    return Fail(ErrorCode::kInvalidArgument, saved.where(), "has a wrong number of values",
                "must be a model that this program saved");
  }
  return ridge;
}

}  // namespace heliostat::regression
