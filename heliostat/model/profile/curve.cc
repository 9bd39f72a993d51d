#include "heliostat/model/profile/curve.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "heliostat/base/core/check.h"

namespace heliostat::profile {
namespace {

// The range of exponents. A voltage floor can give values below 1, boost clocks values above 6.
constexpr double kLowestExponent = 0.3;
constexpr double kHighestExponent = 8.0;
constexpr int kExponents = 84;  // steps between them where the search is a grid

struct Line {
  double constant = 0.0;
  double slope = 0.0;
  double squares = std::numeric_limits<double>::infinity();  // of relative errors
};

double SquaresOf(double constant, double slope, std::span<const double> u, std::span<const double> y) {
  double squares = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double error = (constant + slope * u[i]) / y[i] - 1.0;
    squares += error * error;
  }
  return squares;
}

// Fits y ~ constant + slope * u with coefficients of 0 or more, by least squares of relative errors. The optimum is the
// free one or lies on a bound.
Line FitLine(std::span<const double> u, std::span<const double> y) {
  double w = 0.0, wu = 0.0, wuu = 0.0, wy = 0.0, wuy = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double weight = 1.0 / (y[i] * y[i]);
    w += weight;
    wu += weight * u[i];
    wuu += weight * u[i] * u[i];
    wy += weight * y[i];
    wuy += weight * u[i] * y[i];
  }
  Line best;
  const auto consider = [&](double constant, double slope) {
    if (!(constant >= 0.0) || !(slope >= 0.0)) return;  // also false for NaN
    const double squares = SquaresOf(constant, slope, u, y);
    if (squares < best.squares) best = {constant, slope, squares};
  };
  const double determinant = w * wuu - wu * wu;
  if (determinant > 1e-12 * w * wuu) {
    consider((wy * wuu - wuy * wu) / determinant, (w * wuy - wu * wy) / determinant);
  }
  consider(wy / w, 0.0);
  if (wuu > 0.0) consider(0.0, wuy / wuu);
  return best;
}

double MapeOf(std::span<const double> x, std::span<const double> y, const std::function<double(double)>& curve) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += std::abs(curve(x[i]) / y[i] - 1.0);
  return sum / static_cast<double>(x.size());
}

template <typename T>
std::size_t CountDifferent(std::span<const T> values) {
  return std::set<T>(values.begin(), values.end()).size();
}

// The value in [low, high] with the least cost, by a grid that is refined around the best value. Costs are smooth but
// may have several minima, so the first grid is fine.
double Minimise(double low, double high, const std::function<double(double)>& cost) {
  constexpr int kSteps = 40;
  constexpr int kRounds = 5;
  double best = low;
  double best_cost = std::numeric_limits<double>::infinity();
  double from = low;
  double to = high;
  for (int round = 0; round < kRounds; ++round) {
    const double step = (to - from) / kSteps;
    for (int i = 0; i <= kSteps; ++i) {
      const double value = from + step * i;
      const double here = cost(value);
      if (here < best_cost) {
        best_cost = here;
        best = value;
      }
    }
    from = std::max(low, best - step);
    to = std::min(high, best + step);
  }
  return best;
}

// Power over limits. Both ends are the measured values; the line is fitted to the values between them.
Fit<DrawCurve> FitDraw(std::span<const double> limits, std::span<const double> watts) {
  const double lowest = std::ranges::min(watts);
  const double highest = std::ranges::max(watts);
  const auto squares = [&](double offset, double slope) {
    const DrawCurve curve{offset, slope, lowest, highest};
    double sum = 0.0;
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const double error = curve.At(limits[i]) / watts[i] - 1.0;
      sum += error * error;
    }
    return sum;
  };
  // The line passes through (pivot, offset + slope * pivot). A search for its height there keeps offset and slope
  // independent.
  const double pivot = (std::ranges::min(limits) + std::ranges::max(limits)) / 2.0;
  const auto height_for = [&](double slope) {
    return Minimise(lowest, 1.2 * highest, [&](double height) { return squares(height - slope * pivot, slope); });
  };
  const double slope =
      Minimise(0.0, 1.2, [&](double tried) { return squares(height_for(tried) - tried * pivot, tried); });
  const DrawCurve curve{height_for(slope) - slope * pivot, slope, lowest, highest};
  return {curve, MapeOf(limits, watts, [&](double limit) { return curve.At(limit); })};
}

// Fits setting and time from power: for given static power and exponent, the powers give settings, and the times are a
// line over 1/x.
struct HiddenSetting {
  PowerCurve power;
  Line time;
};

HiddenSetting FitHiddenSetting(std::span<const double> watts, std::span<const double> times) {
  const double lowest = std::ranges::min(watts);
  const double highest = std::ranges::max(watts);
  std::vector<double> inverse(watts.size());
  HiddenSetting best;
  for (int i = 0; i < 50; ++i) {
    const double static_w = lowest * 0.02 * i;
    // At least one watt, so that a model with constant power has a curve.
    const double dynamic_w = std::max(highest - static_w, 1.0);
    for (int k = 0; k <= kExponents; ++k) {
      const double exponent = kLowestExponent * std::pow(kHighestExponent / kLowestExponent, k / double{kExponents});
      const PowerCurve power{static_w, dynamic_w, exponent};
      std::ranges::transform(watts, inverse.begin(), [&](double draw) { return 1.0 / power.SettingAt(draw); });
      const Line line = FitLine(inverse, times);
      if (line.squares < best.time.squares) best = {power, line};
    }
  }
  return best;
}

}  // namespace

double PowerCurve::At(double x) const { return static_w + dynamic_w * std::pow(x, exponent); }

double PowerCurve::SettingAt(double watts) const {
  if (dynamic_w <= 0.0 || watts >= top_w()) return 1.0;
  const double share = std::max(watts - static_w, 0.0) / dynamic_w;
  return std::clamp(std::pow(share, 1.0 / exponent), kLowestSetting, 1.0);
}

double ScalingCurve::At(int workers) const { return std::pow(workers, kappa); }

double DrawCurve::At(double limit_w) const { return std::clamp(offset_w + slope * limit_w, floor_w, top_w); }

std::optional<Fit<PowerCurve>> FitPower(std::span<const double> x, std::span<const double> watts) {
  Check(x.size() == watts.size(), "settings and powers differ in number");
  if (CountDifferent(x) < 3) return std::nullopt;
  std::vector<double> powers(x.size());
  const auto line_for = [&](double exponent) {
    std::ranges::transform(x, powers.begin(), [&](double value) { return std::pow(value, exponent); });
    return FitLine(powers, watts);
  };
  const double exponent =
      Minimise(kLowestExponent, kHighestExponent, [&](double tried) { return line_for(tried).squares; });
  const Line line = line_for(exponent);
  const PowerCurve curve{line.constant, line.slope, exponent};
  return Fit<PowerCurve>{curve, MapeOf(x, watts, [&](double value) { return curve.At(value); })};
}

std::optional<Fit<TimeCurve>> FitTime(std::span<const double> x, std::span<const double> seconds) {
  Check(x.size() == seconds.size(), "settings and times differ in number");
  if (CountDifferent(x) < 2) return std::nullopt;
  const double at_top = seconds[static_cast<std::size_t>(std::ranges::max_element(x) - x.begin())];
  std::vector<double> inverse(x.size());
  std::vector<double> relative(x.size());
  std::ranges::transform(x, inverse.begin(), [](double value) { return 1.0 / value; });
  std::ranges::transform(seconds, relative.begin(), [&](double value) { return value / at_top; });
  const Line line = FitLine(inverse, relative);
  const TimeCurve curve{line.constant, line.slope};
  return Fit<TimeCurve>{curve, MapeOf(x, relative, [&](double value) { return curve.At(value); })};
}

std::optional<Fit<ScalingCurve>> FitScaling(std::span<const int> workers, std::span<const double> speeds) {
  Check(workers.size() == speeds.size(), "workers and speeds differ in number");
  if (CountDifferent(workers) < 2) return std::nullopt;
  const auto n = static_cast<double>(workers.size());
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const double log_workers = std::log(workers[i]);
    const double log_speed = std::log(speeds[i]);
    x += log_workers;
    y += log_speed;
    xx += log_workers * log_workers;
    xy += log_workers * log_speed;
  }
  const ScalingCurve curve{(n * xy - x * y) / (n * xx - x * x)};
  const double one = std::exp((y - curve.kappa * x) / n);
  double sum = 0.0;
  for (std::size_t i = 0; i < workers.size(); ++i) sum += std::abs(one * curve.At(workers[i]) / speeds[i] - 1.0);
  return Fit<ScalingCurve>{curve, sum / n};
}

std::optional<LimitFit> FitLimit(std::span<const double> limits_w, std::span<const double> watts,
                                 std::span<const double> seconds) {
  Check(limits_w.size() == watts.size() && limits_w.size() == seconds.size(),
        "limits, powers and times differ in number");
  if (CountDifferent(limits_w) < 4) return std::nullopt;
  const double at_top = seconds[static_cast<std::size_t>(std::ranges::max_element(limits_w) - limits_w.begin())];
  std::vector<double> relative(seconds.size());
  std::ranges::transform(seconds, relative.begin(), [&](double value) { return value / at_top; });
  const Fit<DrawCurve> draw = FitDraw(limits_w, watts);
  const HiddenSetting hidden = FitHiddenSetting(watts, relative);
  const LimitCurve curve{draw.curve, hidden.power, {hidden.time.constant, hidden.time.slope}};
  return LimitFit{curve, draw.mape, MapeOf(limits_w, relative, [&](double limit) { return curve.TimeAt(limit); })};
}

}  // namespace heliostat::profile
