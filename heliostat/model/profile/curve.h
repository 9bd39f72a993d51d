#pragma once

#include <optional>
#include <span>
#include <vector>

namespace heliostat::profile {

// The curves that describe a model on a GPU. `x` is a setting as a share of the highest one, above 0 and at most 1.

// Power in watts of a busy GPU: static_w + dynamic_w * x^exponent.
struct PowerCurve {
  double static_w = 0.0;
  double dynamic_w = 0.0;
  double exponent = 1.0;

  double At(double x) const;
  double top_w() const { return static_w + dynamic_w; }
  // The setting with this power, limited to kLowestSetting to 1.
  double SettingAt(double watts) const;
  friend bool operator==(const PowerCurve&, const PowerCurve&) = default;
};
inline constexpr double kLowestSetting = 0.05;

// Time of a step relative to the highest setting: a + b / x. The part `a` (memory, input, host) does not depend on the
// core clock.
struct TimeCurve {
  double a = 0.0;
  double b = 1.0;

  double At(double x) const { return a + b / x; }
  friend bool operator==(const TimeCurve&, const TimeCurve&) = default;
};

// Speed of n workers relative to one: n^kappa.
struct ScalingCurve {
  double kappa = 1.0;

  double At(int workers) const;
  friend bool operator==(const ScalingCurve&, const ScalingCurve&) = default;
};

// Average power under a power limit: offset_w + slope * limit, at least floor_w (the GPU cannot keep a lower limit) and
// at most top_w (the most that the model uses). The slope is below 1 where the GPU waits for input between bursts.
struct DrawCurve {
  double offset_w = 0.0;
  double slope = 1.0;
  double floor_w = 0.0;
  double top_w = 0.0;

  double At(double limit_w) const;
  friend bool operator==(const DrawCurve&, const DrawCurve&) = default;
};

// The effect of a power limit: the limit gives the power, the power gives a hidden setting (the inverse of `power`),
// and the setting gives the time. A model that does not depend on the limit has b = 0.
struct LimitCurve {
  DrawCurve draw;
  PowerCurve power;
  TimeCurve time;

  double WattsAt(double limit_w) const { return draw.At(limit_w); }
  // Time of a step relative to the highest limit measured.
  double TimeAt(double limit_w) const { return time.At(power.SettingAt(draw.At(limit_w))); }
  friend bool operator==(const LimitCurve&, const LimitCurve&) = default;
};

// A curve and its mean absolute percentage error, as a share.
template <typename Curve>
struct Fit {
  Curve curve;
  double mape = 0.0;
};
// A limit curve and its mean absolute percentage errors, as shares.
struct LimitFit {
  LimitCurve curve;
  double draw_mape = 0.0;
  double time_mape = 0.0;  // of the time computed from the limit
};

// Fits by least squares of relative errors: a grid over the nonlinear parameters, coefficients of 0 or more. The spans
// of one call must have equal length, and values must be finite and above 0. Nothing when there are too few different
// settings (three for power, two for time and scaling, four for limits).
std::optional<Fit<PowerCurve>> FitPower(std::span<const double> x, std::span<const double> watts);
std::optional<Fit<TimeCurve>> FitTime(std::span<const double> x, std::span<const double> seconds);
std::optional<Fit<ScalingCurve>> FitScaling(std::span<const int> workers, std::span<const double> speeds);
std::optional<LimitFit> FitLimit(std::span<const double> limits_w, std::span<const double> watts,
                                 std::span<const double> seconds);

}  // namespace heliostat::profile
