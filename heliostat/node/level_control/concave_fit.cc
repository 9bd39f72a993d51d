#include "heliostat/node/level_control/concave_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "heliostat/base/core/check.h"

namespace heliostat::level_control {
namespace {

constexpr double kFlat = 1e-10;  // a gradient this small, relative to the first, counts as 0
constexpr double kSingular = 1e-12;

using Row = std::vector<double>;

// Solves the normal equations of the chosen columns. Columns that add nothing get 0.
Row SolveChosen(const std::vector<Row>& gram, const Row& right, const std::vector<std::size_t>& chosen) {
  const std::size_t n = chosen.size();
  std::vector<Row> a(n, Row(n + 1));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) a[i][j] = gram[chosen[i]][chosen[j]];
    a[i][n] = right[chosen[i]];
  }
  Row answer(n, 0.0);
  // Gauss without pivoting: the matrix is positive definite wherever its pivots are not noise.
  for (std::size_t k = 0; k < n; ++k) {
    if (a[k][k] <= kSingular * gram[chosen[k]][chosen[k]]) continue;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j <= n; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    if (a[k][k] > kSingular * gram[chosen[k]][chosen[k]]) answer[k] = a[k][n] / a[k][k];
  }
  return answer;
}

// Lawson and Hanson's least squares without negative coefficients, on the normal equations: a dozen columns at most.
class NonNegative {
 public:
  NonNegative(std::vector<Row> gram, Row right)
      : gram_(std::move(gram)), right_(std::move(right)), x_(right_.size(), 0.0), is_chosen_(right_.size(), false) {}

  Row Solve() {
    const double scale = std::abs(*std::ranges::max_element(right_));
    for (std::size_t round = 0; round < 3 * right_.size(); ++round) {
      const std::size_t next = Steepest(kFlat * scale);
      if (next == right_.size()) break;
      is_chosen_[next] = true;
      Settle();
    }
    return x_;
  }

 private:
  // The column along which the error falls fastest; none: the number of columns.
  std::size_t Steepest(double flat) const {
    std::size_t best = right_.size();
    double most = flat;
    for (std::size_t i = 0; i < right_.size(); ++i) {
      if (is_chosen_[i]) continue;
      double gradient = right_[i];
      for (std::size_t j = 0; j < right_.size(); ++j) gradient -= gram_[i][j] * x_[j];
      if (gradient <= most) continue;
      most = gradient;
      best = i;
    }
    return best;
  }

  // Moves to the optimum of the chosen columns, dropping those that would turn negative on the way.
  void Settle() {
    for (std::size_t round = 0; round <= right_.size(); ++round) {
      std::vector<std::size_t> chosen;
      for (std::size_t i = 0; i < right_.size(); ++i) {
        if (is_chosen_[i]) chosen.push_back(i);
      }
      const Row target = SolveChosen(gram_, right_, chosen);
      double step = 1.0;
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        const double from = x_[chosen[k]];
        if (target[k] <= 0.0) step = std::min(step, from / std::max(from - target[k], 1e-300));
      }
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        double& value = x_[chosen[k]];
        value += step * (target[k] - value);
        if (target[k] > 0.0 || value > 1e-15) continue;
        value = 0.0;
        is_chosen_[chosen[k]] = false;
      }
      if (step >= 1.0) return;
    }
  }

  std::vector<Row> gram_;
  Row right_;
  Row x_;
  std::vector<bool> is_chosen_;
};

}  // namespace

std::vector<double> FitRisingConcave(std::span<const double> x, std::span<const double> y,
                                     std::span<const double> weights) {
  Check(!x.empty() && x.size() == y.size() && x.size() == weights.size(), "one value and one weight per place");
  const std::size_t n = x.size();
  if (n == 1) return {y[0]};
  // Every such function is a constant and hinges min(x, x_j) that do not pull down.
  const double reach = x[n - 1] - x[0];
  const auto basis = [&](std::size_t column, std::size_t i) {
    return column == 0 ? 1.0 : std::min(x[i] - x[0], x[column] - x[0]) / reach;
  };
  std::vector<Row> gram(n, Row(n, 0.0));
  Row right(n, 0.0);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t i = 0; i < n; ++i) {
      right[a] += weights[i] * basis(a, i) * y[i];
      for (std::size_t b = 0; b < n; ++b) gram[a][b] += weights[i] * basis(a, i) * basis(b, i);
    }
  }
  const Row coefficients = NonNegative(std::move(gram), std::move(right)).Solve();
  std::vector<double> fitted(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t a = 0; a < n; ++a) fitted[i] += coefficients[a] * basis(a, i);
  }
  return fitted;
}

std::vector<double> FitRising(std::span<const double> y, std::span<const double> weights) {
  Check(y.size() == weights.size(), "one weight per value");
  struct Pool {
    double sum = 0.0;
    double weight = 0.0;
    std::size_t count = 0;
    double mean() const { return sum / weight; }
  };
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < y.size(); ++i) {
    pools.push_back({y[i] * weights[i], weights[i], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().weight += last.weight;
      pools.back().count += last.count;
    }
  }
  std::vector<double> fitted;
  for (const Pool& pool : pools) fitted.insert(fitted.end(), pool.count, pool.mean());
  return fitted;
}

}  // namespace heliostat::level_control
