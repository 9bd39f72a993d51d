#include "heliostat/forecasting/regression/ridge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/base/core/random.h"

namespace heliostat::regression {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

Matrix RandomMatrix(std::size_t rows, std::size_t columns, RandomStream& random) {
  Matrix matrix = Matrix::Zeros(rows, columns);
  for (double& value : matrix.values) value = random.Normal(1, 2);
  return matrix;
}

std::vector<double> RandomWeights(std::size_t rows, RandomStream& random) {
  std::vector<double> weights(rows);
  for (double& weight : weights) weight = random.Uniform(0.1, 2);
  return weights;
}

// The solution of a x = b, by elimination.
std::vector<double> Solve(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i; r < n; ++r) pivot = std::abs(a[r][i]) > std::abs(a[pivot][i]) ? r : pivot;
    std::swap(a[i], a[pivot]);
    std::swap(b[i], b[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == i) continue;
      const double factor = a[r][i] / a[i][i];
      for (std::size_t c = i; c < n; ++c) a[r][c] -= factor * a[i][c];
      b[r] -= factor * b[i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) b[i] /= a[i][i];
  return b;
}

// The weighted variance of a feature.
double VarianceOf(const Matrix& x, const std::vector<double>& weights, std::size_t column) {
  double total = 0, mean = 0, variance = 0;
  for (std::size_t i = 0; i < x.rows; ++i) total += weights[i];
  for (std::size_t i = 0; i < x.rows; ++i) mean += weights[i] * x.Row(i)[column] / total;
  for (std::size_t i = 0; i < x.rows; ++i) variance += weights[i] * std::pow(x.Row(i)[column] - mean, 2) / total;
  return variance;
}

// The same regression in another form: unscaled features including the constant, and a penalty on each slope by the
// variance of its feature.
double BruteForce(const Matrix& x, const std::vector<double>& weights, const Matrix& y, std::size_t target,
                  double penalty, const std::vector<double>& asked) {
  const std::size_t n = x.columns + 1;
  std::vector<std::vector<double>> gram(n, std::vector<double>(n, 0.0));
  std::vector<double> right(n, 0.0);
  double total = 0;
  for (std::size_t i = 0; i < x.rows; ++i) {
    const auto at = [&](std::size_t j) { return j == 0 ? 1.0 : x.Row(i)[j - 1]; };
    total += weights[i];
    for (std::size_t j = 0; j < n; ++j) {
      right[j] += weights[i] * at(j) * y.Row(i)[target];
      for (std::size_t k = 0; k < n; ++k) gram[j][k] += weights[i] * at(j) * at(k);
    }
  }
  for (std::size_t j = 1; j < n; ++j) gram[j][j] += penalty * total * VarianceOf(x, weights, j - 1);
  const auto slopes = Solve(gram, right);
  double value = slopes[0];
  for (std::size_t j = 1; j < n; ++j) value += slopes[j] * asked[j - 1];
  return value;
}

TEST(RidgeTest, FindsAnExactLinearLaw) {
  RandomStream random(1);
  const Matrix x = RandomMatrix(50, 3, random);
  Matrix y = Matrix::Zeros(50, 2);
  const auto law = [](std::span<const double> row) {
    return std::vector{4 + 2 * row[0] - row[1] + 0.5 * row[2], -row[2]};
  };
  for (std::size_t i = 0; i < 50; ++i) {
    const auto values = law(x.Row(i));
    std::copy(values.begin(), values.end(), y.Row(i).begin());
  }
  const auto ridge = Ridge::Fit(x, RandomWeights(50, random), y, std::vector<double>{0, 0});
  const std::vector<double> asked{10, -7, 3};
  EXPECT_THAT(ridge.Predict(asked), Pointwise(DoubleNear(1e-6), law(asked)));
}

TEST(RidgeTest, EqualsTheNormalEquations) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed);
    const std::size_t rows = 12 + random.Below(30), columns = 1 + random.Below(6);
    const Matrix x = RandomMatrix(rows, columns, random);
    const Matrix y = RandomMatrix(rows, 3, random);
    const auto weights = RandomWeights(rows, random);
    const std::vector<double> penalties{0.3, 0.01, 0.3};
    const Matrix asked = RandomMatrix(1, columns, random);
    const auto values = Ridge::Fit(x, weights, y, penalties).Predict(asked.values);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(values[k], BruteForce(x, weights, y, k, penalties[k], asked.values), 1e-7) << "seed " << seed;
    }
  }
}

TEST(RidgeTest, ShrinksTowardsTheMean) {
  RandomStream random(3);
  const Matrix x = RandomMatrix(60, 2, random);
  Matrix y = Matrix::Zeros(60, 3);
  double mean = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    const double value = 5 * x.Row(i)[0] + random.Normal();
    std::fill_n(y.Row(i).begin(), 3, value);
    mean += value / 60;
  }
  const auto values =
      Ridge::Fit(x, std::vector<double>(60, 1.0), y, std::vector<double>{0, 1, 1e9}).Predict(std::vector<double>{9, 0});
  EXPECT_GT(std::abs(values[0] - mean), 20);
  EXPECT_NEAR(values[1] - mean, (values[0] - mean) / 2, 2) << "a penalty of all rows' weight halves a slope";
  EXPECT_NEAR(values[2], mean, 1e-6);
}

TEST(RidgeTest, TakesAWeightOfTwoAsTheRowTwice) {
  RandomStream random(4);
  const Matrix x = RandomMatrix(20, 3, random), y = RandomMatrix(20, 1, random);
  std::vector<double> weights(20, 1.0);
  weights[7] = 2;
  Matrix x_twice = x, y_twice = y;
  ++x_twice.rows;
  ++y_twice.rows;
  const auto x_row = x.Row(7), y_row = y.Row(7);
  x_twice.values.insert(x_twice.values.end(), x_row.begin(), x_row.end());
  y_twice.values.insert(y_twice.values.end(), y_row.begin(), y_row.end());
  const std::vector<double> penalty{0.1}, asked{1, 2, 3};
  const double weighted = Ridge::Fit(x, weights, y, penalty).Predict(asked)[0];
  EXPECT_NEAR(weighted, Ridge::Fit(x_twice, std::vector<double>(21, 1.0), y_twice, penalty).Predict(asked)[0], 1e-9);
  EXPECT_GT(std::abs(weighted - Ridge::Fit(x, std::vector<double>(20, 1.0), y, penalty).Predict(asked)[0]), 1e-4);
}

TEST(RidgeTest, LearnsNothingFromAFeatureThatNeverChanged) {
  RandomStream random(5);
  const Matrix x = RandomMatrix(30, 2, random), y = RandomMatrix(30, 1, random);
  Matrix wider = Matrix::Zeros(30, 3);
  for (std::size_t i = 0; i < 30; ++i) {
    wider.Row(i)[0] = x.Row(i)[0];
    wider.Row(i)[1] = 77.7;
    wider.Row(i)[2] = x.Row(i)[1];
  }
  const std::vector<double> weights(30, 1.0), penalty{0.05};
  const double expected = Ridge::Fit(x, weights, y, penalty).Predict(std::vector<double>{1, 2})[0];
  // Not even when it changes later.
  for (const double late : {77.7, -1e6}) {
    EXPECT_NEAR(Ridge::Fit(wider, weights, y, penalty).Predict(std::vector<double>{1, late, 2})[0], expected, 1e-9);
  }
}

TEST(RidgeTest, TakesFeaturesThatSayTheSame) {
  RandomStream random(6);
  Matrix x = RandomMatrix(30, 2, random);
  Matrix y = Matrix::Zeros(30, 1);
  for (std::size_t i = 0; i < 30; ++i) {
    x.Row(i)[1] = 2 * x.Row(i)[0];
    y.Row(i)[0] = 3 * x.Row(i)[0];
  }
  const auto ridge = Ridge::Fit(x, std::vector<double>(30, 1.0), y, std::vector<double>{0});
  EXPECT_NEAR(ridge.Predict(std::vector<double>{1, 2})[0], 3, 1e-4);
}

TEST(RidgeTest, ComesBackBitForBit) {
  RandomStream random(7);
  const auto ridge = Ridge::Fit(RandomMatrix(40, 5, random), RandomWeights(40, random), RandomMatrix(40, 4, random),
                                std::vector<double>{0, 0.1, 0.1, 3});
  const std::string text = ridge.Save().Dump();
  const auto loaded = Ridge::Load(*io::Json::Parse(text, "saved.json"));
  ASSERT_TRUE(loaded) << loaded.error().Line();
  EXPECT_EQ(loaded->features(), 5U);
  EXPECT_EQ(loaded->targets(), 4U);
  EXPECT_EQ(loaded->Save().Dump(), text);
  const auto asked = RandomMatrix(1, 5, random);
  EXPECT_EQ(loaded->Predict(asked.values), ridge.Predict(asked.values));
}

TEST(RidgeTest, RefusesToLoadNonsense) {
  RandomStream random(8);
  const io::Json saved = Ridge::Fit(RandomMatrix(9, 2, random), std::vector<double>(9, 1.0), RandomMatrix(9, 3, random),
                                    std::vector<double>(3, 0.1))
                             .Save();
  ASSERT_TRUE(Ridge::Load(saved));
  EXPECT_FALSE(Ridge::Load(io::Json{3}));
  for (const char* key : {"mean", "inverse_spread", "constant", "slope"}) {
    for (const char* text : {"", "AAAA", "?", "AAAAAAAA+H8="}) {
      io::Json broken = saved;
      EXPECT_FALSE(Ridge::Load(broken.Set(key, text))) << key << " of \"" << text << '"';
    }
  }
}

}  // namespace
}  // namespace heliostat::regression
