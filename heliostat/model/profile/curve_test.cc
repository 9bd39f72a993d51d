#include "heliostat/model/profile/curve.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace heliostat::profile {
namespace {

const std::vector<double> kSettings{0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};

double Between(double low, double high) { return low + (high - low) * *rc::gen::inRange(0, 1001) / 1000.0; }

RC_GTEST_PROP(Curve, PowerIsFoundAgainFromItsOwnPoints, ()) {
  const PowerCurve truth{Between(20, 200), Between(50, 400), Between(0.8, 6.0)};
  std::vector<double> watts;
  for (const double x : kSettings) watts.push_back(truth.At(x));
  const auto fit = FitPower(kSettings, watts);
  RC_ASSERT(fit.has_value());
  RC_ASSERT(fit->mape < 1e-4);
  RC_ASSERT(std::abs(fit->curve.top_w() / truth.top_w() - 1.0) < 1e-3);
}

RC_GTEST_PROP(Curve, TimeIsFoundAgainRelativeToTheTop, ()) {
  const double a = Between(0.0, 1.0);
  const double scale = Between(0.01, 50.0);
  std::vector<double> seconds;
  for (const double x : kSettings) seconds.push_back(scale * (a + (1.0 - a) / x));
  const auto fit = FitTime(kSettings, seconds);
  RC_ASSERT(fit.has_value());
  RC_ASSERT(std::abs(fit->curve.a - a) < 1e-6);
  RC_ASSERT(std::abs(fit->curve.b - (1.0 - a)) < 1e-6);
}

RC_GTEST_PROP(Curve, NoCoefficientIsNegativeWhateverWasMeasured, ()) {
  std::vector<double> watts;
  std::vector<double> seconds;
  std::vector<double> limits;
  for (const double x : kSettings) {
    limits.push_back(300.0 * x);
    watts.push_back(Between(10, 500));
    seconds.push_back(Between(0.1, 10));
  }
  const auto power = FitPower(kSettings, watts);
  const auto time = FitTime(kSettings, seconds);
  const auto limit = FitLimit(limits, watts, seconds);
  RC_ASSERT(power && time && limit);
  RC_ASSERT(power->curve.static_w >= 0.0 && power->curve.dynamic_w >= 0.0);
  RC_ASSERT(time->curve.a >= 0.0 && time->curve.b >= 0.0);
  RC_ASSERT(limit->curve.time.a >= 0.0 && limit->curve.time.b >= 0.0);
  // A lower limit is never faster and never takes more power.
  for (double watt = 100.0; watt < 300.0; watt += 10.0) {
    RC_ASSERT(limit->curve.TimeAt(watt) >= limit->curve.TimeAt(watt + 10.0) - 1e-12);
    RC_ASSERT(limit->curve.WattsAt(watt) <= limit->curve.WattsAt(watt + 10.0) + 1e-12);
  }
}

RC_GTEST_PROP(Curve, TheSettingOfADrawIsWhereTheDrawIs, ()) {
  const PowerCurve curve{Between(0, 200), Between(10, 400), Between(0.5, 6.0)};
  const double x = Between(0.1, 1.0);
  RC_ASSERT(std::abs(curve.SettingAt(curve.At(x)) - x) < 1e-9);
}

TEST(Curve, ALimitedSweepIsFoundAgain) {
  const LimitCurve truth{{20.0, 0.8, 90.0, 240.0}, {80.0, 160.0, 1.5}, {0.6, 0.4}};
  std::vector<double> limits;
  std::vector<double> watts;
  std::vector<double> seconds;
  for (double limit = 75.0; limit <= 300.0; limit += 25.0) {
    limits.push_back(limit);
    watts.push_back(truth.WattsAt(limit));
    seconds.push_back(12.0 * truth.TimeAt(limit));
  }
  const auto fit = FitLimit(limits, watts, seconds);
  ASSERT_TRUE(fit.has_value());
  EXPECT_LT(fit->draw_mape, 0.005);
  EXPECT_LT(fit->time_mape, 0.01);
}

TEST(Curve, AModelThatWaitsForItsInputIgnoresTheLimit) {
  const std::vector<double> limits{100, 150, 200, 250};
  const std::vector<double> watts{85, 85, 85, 85};
  const std::vector<double> seconds{3, 3, 3, 3};
  const auto fit = FitLimit(limits, watts, seconds);
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(fit->curve.TimeAt(60), fit->curve.TimeAt(300), 1e-9);
  EXPECT_NEAR(fit->curve.WattsAt(60), 85, 1e-9);
}

TEST(Curve, ScalingIsTheSlopeOfLogarithms) {
  const std::vector<int> workers{1, 2, 4, 8};
  const std::vector<double> speeds{10, 10 * std::pow(2, 0.8), 10 * std::pow(4, 0.8), 10 * std::pow(8, 0.8)};
  const auto fit = FitScaling(workers, speeds);
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(fit->curve.kappa, 0.8, 1e-9);
  EXPECT_NEAR(fit->mape, 0.0, 1e-9);
}

TEST(Curve, TooFewSettingsHaveNoCurve) {
  const std::vector<double> two{0.5, 1.0};
  const std::vector<double> same{1.0, 1.0, 1.0};
  const std::vector<double> values{3.0, 2.0, 1.0};
  const std::vector<int> alone{1, 1};
  EXPECT_FALSE(FitPower(two, two).has_value());
  EXPECT_FALSE(FitTime(same, values).has_value());
  EXPECT_FALSE(FitScaling(alone, two).has_value());
  EXPECT_FALSE(FitLimit(values, values, values).has_value());
}

}  // namespace
}  // namespace heliostat::profile
