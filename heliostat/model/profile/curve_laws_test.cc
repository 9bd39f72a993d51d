// Properties of the fits that plans rely on, for exact, noisy and random points.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "heliostat/base/core/random.h"
#include "heliostat/model/profile/curve.h"

namespace heliostat::profile {
namespace {

const std::vector<double> kSettings{0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};

double Between(double low, double high) { return low + (high - low) * *rc::gen::inRange(0, 1001) / 1000.0; }

PowerCurve AnyPower() { return {Between(20, 200), Between(50, 400), Between(0.8, 6.0)}; }

// `curve` at all settings, each value off by up to `noise` of itself.
template <typename Curve>
std::vector<double> Measured(const Curve& curve, double noise) {
  std::vector<double> values;
  for (const double x : kSettings) values.push_back(curve.At(x) * (1.0 + noise * Between(-1.0, 1.0)));
  return values;
}

RC_GTEST_PROP(CurveLaws, AFitIsNoFurtherFromItsPointsThanTheirNoise, ()) {
  const auto power = FitPower(kSettings, Measured(AnyPower(), 0.03));
  RC_ASSERT(power->mape <= 0.031);  // 3 % of the measured value is slightly more than 3 % of the true one
  const double a = Between(0.0, 1.0);
  const auto time = FitTime(kSettings, Measured(TimeCurve{a, 1.0 - a}, 0.03));
  RC_ASSERT(time->mape <= 0.04);
}

RC_GTEST_PROP(CurveLaws, TheErrorSaidIsTheErrorMade, ()) {
  const std::vector<double> watts = Measured(AnyPower(), 0.2);
  const auto fit = FitPower(kSettings, watts);
  double sum = 0.0;
  for (std::size_t i = 0; i < watts.size(); ++i) sum += std::abs(fit->curve.At(kSettings[i]) / watts[i] - 1.0);
  RC_ASSERT(std::abs(fit->mape - sum / static_cast<double>(watts.size())) < 1e-12);
}

RC_GTEST_PROP(CurveLaws, AHigherSettingDrawsMoreAndTakesNoLongerWhateverWasMeasured, ()) {
  std::vector<double> watts;
  std::vector<double> seconds;
  for (std::size_t i = 0; i < kSettings.size(); ++i) {
    watts.push_back(Between(10, 500));
    seconds.push_back(Between(0.1, 10));
  }
  const auto power = FitPower(kSettings, watts);
  const auto time = FitTime(kSettings, seconds);
  for (double x = 0.1; x < 1.0; x += 0.05) {
    RC_ASSERT(power->curve.At(x) <= power->curve.At(x + 0.05) + 1e-12);
    RC_ASSERT(time->curve.At(x) >= time->curve.At(x + 0.05) - 1e-12);
  }
}

// Speed is the inverse of a + b / x: every further step of the clock gains no more than the one before.
RC_GTEST_PROP(CurveLaws, SpeedIsConcaveInTheSetting, ()) {
  std::vector<double> seconds;
  for (std::size_t i = 0; i < kSettings.size(); ++i) seconds.push_back(Between(0.1, 10));
  const TimeCurve curve = FitTime(kSettings, seconds)->curve;
  for (double x = 0.1; x < 0.9; x += 0.05) {
    const double middle = 1.0 / curve.At(x + 0.05);
    RC_ASSERT(middle >= 0.5 * (1.0 / curve.At(x) + 1.0 / curve.At(x + 0.1)) - 1e-9);
  }
}

RC_GTEST_PROP(CurveLaws, TheUnitOfMeasurementsDoesNotMatter, ()) {
  const double unit = std::pow(10.0, *rc::gen::inRange(-3, 4));
  std::vector<double> watts = Measured(AnyPower(), 0.05);
  const auto fit = FitPower(kSettings, watts);
  for (double& value : watts) value *= unit;
  const auto scaled = FitPower(kSettings, watts);
  RC_ASSERT(std::abs(scaled->curve.top_w() / (fit->curve.top_w() * unit) - 1.0) < 1e-6);
  RC_ASSERT(std::abs(scaled->mape - fit->mape) < 1e-6);
}

RC_GTEST_PROP(CurveLaws, TheOrderOfPointsDoesNotMatter, ()) {
  const std::vector<double> watts = Measured(AnyPower(), 0.1);
  const std::vector<double> seconds = Measured(TimeCurve{0.4, 0.6}, 0.1);
  const std::vector<double> x(kSettings.rbegin(), kSettings.rend());
  const std::vector<double> watts_back(watts.rbegin(), watts.rend());
  const std::vector<double> seconds_back(seconds.rbegin(), seconds.rend());
  const PowerCurve power = FitPower(kSettings, watts)->curve;
  const PowerCurve power_back = FitPower(x, watts_back)->curve;
  const TimeCurve time = FitTime(kSettings, seconds)->curve;
  const TimeCurve time_back = FitTime(x, seconds_back)->curve;
  for (const double at : kSettings) {
    RC_ASSERT(std::abs(power_back.At(at) / power.At(at) - 1.0) < 1e-6);
    RC_ASSERT(std::abs(time_back.At(at) / time.At(at) - 1.0) < 1e-9);
  }
}

RC_GTEST_PROP(CurveLaws, ScalingIsFoundAgainAndMoreWorkersAreAsManyTimesFaster, ()) {
  const ScalingCurve truth{Between(0.3, 1.1)};
  const double one = Between(0.1, 1000);
  const std::vector<int> workers{1, 2, 4, 8, 16};
  std::vector<double> speeds;
  for (const int n : workers) speeds.push_back(one * truth.At(n));
  const auto fit = FitScaling(workers, speeds);
  RC_ASSERT(std::abs(fit->curve.kappa - truth.kappa) < 1e-9);
  RC_ASSERT(fit->curve.At(1) == 1.0);
  RC_ASSERT(std::abs(fit->curve.At(6) - fit->curve.At(2) * fit->curve.At(3)) < 1e-9);
}

RC_GTEST_PROP(CurveLaws, ASettingIsBetweenTheLowestAndOneForAnyDraw, ()) {
  const PowerCurve curve = AnyPower();
  const double low = Between(0, 600);
  const double high = low + Between(0, 600);
  RC_ASSERT(curve.SettingAt(low) >= kLowestSetting);
  RC_ASSERT(curve.SettingAt(high) <= 1.0);
  RC_ASSERT(curve.SettingAt(low) <= curve.SettingAt(high));
  RC_ASSERT(curve.SettingAt(curve.top_w()) == 1.0);
  RC_ASSERT(curve.SettingAt(0.0) == kLowestSetting);
}

RC_GTEST_PROP(CurveLaws, DrawStaysBetweenItsEndsAndFollowsTheLimit, ()) {
  const double floor = Between(50, 100);
  const DrawCurve curve{Between(-50, 50), Between(0, 1.2), floor, floor + Between(0, 200)};
  for (double limit = 0; limit < 500; limit += 25) {
    RC_ASSERT(curve.At(limit) >= curve.floor_w);
    RC_ASSERT(curve.At(limit) <= curve.top_w);
    RC_ASSERT(curve.At(limit) <= curve.At(limit + 25));
  }
}

// A sweep by limits with 2 % noise: both curves stay near the measurements.
TEST(CurveTest, LimitsAreFoundAgainThroughNoise) {
  RandomStream random(3);
  for (int round = 0; round < 5; ++round) {
    const LimitCurve truth{
        {0.0, random.Uniform(0.8, 1.0), 90.0, 260.0}, {70.0, 190.0, random.Uniform(1.0, 3.0)}, {0.4, 0.6}};
    std::vector<double> limits, watts, seconds;
    for (double limit = 100.0; limit <= 300.0; limit += 25.0) {
      limits.push_back(limit);
      watts.push_back(truth.WattsAt(limit) * random.Uniform(0.98, 1.02));
      seconds.push_back(7.0 * truth.TimeAt(limit) * random.Uniform(0.98, 1.02));
    }
    const auto fit = FitLimit(limits, watts, seconds);
    ASSERT_TRUE(fit.has_value());
    EXPECT_LT(fit->draw_mape, 0.025);
    EXPECT_LT(fit->time_mape, 0.05);
    for (double limit = 110.0; limit < 300.0; limit += 20.0) {
      EXPECT_NEAR(fit->curve.WattsAt(limit) / truth.WattsAt(limit), 1.0, 0.06);
    }
  }
}

TEST(CurveDeathTest, PointsWithoutTheirValuesAreAProgrammersError) {
  const std::vector<double> three{0.5, 0.7, 1.0};
  const std::vector<double> two{1.0, 2.0};
  EXPECT_DEATH((void)FitPower(three, two), "differ in number");
  EXPECT_DEATH((void)FitTime(three, two), "differ in number");
}

}  // namespace
}  // namespace heliostat::profile
