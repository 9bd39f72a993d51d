#include "heliostat/forecasting/forecast/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heliostat/base/core/random.h"

namespace heliostat::forecast {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::vector<Band> BandsAround(double centre, double half_width) {
  std::vector<Band> bands;
  for (const double level : kBandLevels) {
    bands.push_back({level, {centre - half_width * level}, {centre + half_width * level}});
  }
  return bands;
}

TEST(ScoreTest, ScoresAnExampleDoneByHand) {
  ScoreSum sum;
  sum.Add(110, 100, 80, {}, 0);
  sum.Add(150, 200, 190, {}, 0);
  const ForecastScore score = sum.Result();
  EXPECT_DOUBLE_EQ(score.mape_percent, 17.5);
  EXPECT_DOUBLE_EQ(score.mae, 30);
  EXPECT_DOUBLE_EQ(score.rmse, std::sqrt(1300));
  EXPECT_DOUBLE_EQ(score.bias, -20);
  EXPECT_DOUBLE_EQ(score.skill_percent, 100 * (1 - 60.0 / 30.0));
  EXPECT_EQ(score.count, 2U);
}

TEST(ScoreTest, MissingActualsCountNowhereAndZerosEverywhereButInMape) {
  ScoreSum sum;
  sum.Add(1, kUnknown, 0, {}, 0);
  sum.Add(3, 0, kUnknown, {}, 0);
  sum.Add(-1, -2, kUnknown, {}, 0);
  const ForecastScore score = sum.Result();
  EXPECT_EQ(score.count, 2U);
  EXPECT_EQ(score.zeros, 1U);
  EXPECT_DOUBLE_EQ(score.mape_percent, 50) << "relative to the size of a negative price";
  EXPECT_DOUBLE_EQ(score.mae, 2);
  EXPECT_TRUE(std::isnan(score.skill_percent)) << "yesterday was never known";
}

TEST(ScoreTest, OfNothingIsNotANumberRatherThanPerfect) {
  const ForecastScore score = ScoreSum().Result();
  EXPECT_TRUE(std::isnan(score.mape_percent));
  EXPECT_TRUE(std::isnan(score.mae));
  EXPECT_TRUE(score.coverage_percent.empty());
}

TEST(ScoreTest, CoverageCountsTheValuesInsideEachBandEdgesIncluded) {
  ScoreSum sum;
  for (const double actual : {100.0, 105.0, 107.0, 109.0, 120.0})
    sum.Add(100, actual, kUnknown, BandsAround(100, 10), 0);
  const ForecastScore score = sum.Result();
  ASSERT_EQ(score.coverage_percent.size(), kBandLevels.size());
  EXPECT_DOUBLE_EQ(score.coverage_percent[0], 40);
  EXPECT_DOUBLE_EQ(score.coverage_percent[1], 60);
  EXPECT_DOUBLE_EQ(score.coverage_percent[2], 80);
}

TEST(ScoreTest, ValuesWithoutBandsDoNotDiluteCoverage) {
  ScoreSum sum;
  sum.Add(100, 100, kUnknown, BandsAround(100, 10), 0);
  sum.Add(0, 0, kUnknown, {}, 0);
  EXPECT_DOUBLE_EQ(sum.Result().coverage_percent[2], 100);
  EXPECT_EQ(sum.Result().count, 2U);
}

TEST(ScoreTest, PinballIsLeastForTheTrueQuantiles) {
  // Of a normal value with sd 1: z of 50, 80 and 90 % bands.
  constexpr std::array kZ{0.6745, 1.2816, 1.6449};
  const auto pinball_at = [&](double factor, double shift) {
    RandomStream random(8);
    ScoreSum sum;
    std::vector<Band> bands;
    for (std::size_t i = 0; i < kZ.size(); ++i) {
      bands.push_back({kBandLevels[i], {shift - factor * kZ[i]}, {shift + factor * kZ[i]}});
    }
    for (int i = 0; i < 20000; ++i) sum.Add(shift, random.Normal(), kUnknown, bands, 0);
    return sum.Result().pinball;
  };
  const double honest = pinball_at(1, 0);
  EXPECT_LT(honest, pinball_at(0.7, 0));
  EXPECT_LT(honest, pinball_at(1.4, 0));
  EXPECT_LT(honest, pinball_at(1, 0.3));
}

TEST(ScoreTest, TwoSumsAddUpToTheScoreOfBoth) {
  RandomStream random(9);
  ScoreSum whole;
  ScoreSum left;
  ScoreSum right;
  for (int i = 0; i < 300; ++i) {
    const double forecast = random.Uniform(-5, 5);
    const double actual = random.Chance(0.1) ? kUnknown : random.Chance(0.1) ? 0.0 : random.Uniform(-5, 5);
    const double yesterday = random.Chance(0.2) ? kUnknown : random.Uniform(-5, 5);
    const auto bands = random.Chance(0.3) ? std::vector<Band>{} : BandsAround(forecast, 3);
    whole.Add(forecast, actual, yesterday, bands, 0);
    (random.Chance(0.4) ? left : right).Add(forecast, actual, yesterday, bands, 0);
  }
  left.Add(right);
  const ForecastScore a = whole.Result();
  const ForecastScore b = left.Result();
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.zeros, b.zeros);
  EXPECT_NEAR(a.mape_percent, b.mape_percent, 1e-9);
  EXPECT_NEAR(a.rmse, b.rmse, 1e-9);
  EXPECT_NEAR(a.pinball, b.pinball, 1e-9);
  EXPECT_NEAR(a.skill_percent, b.skill_percent, 1e-9);
  for (std::size_t i = 0; i < kBandLevels.size(); ++i) {
    EXPECT_NEAR(a.coverage_percent[i], b.coverage_percent[i], 1e-9);
  }
}

}  // namespace
}  // namespace heliostat::forecast
