#pragma once

#include <optional>
#include <span>
#include <vector>

namespace heliostat::profile {

// The forms that a model's behaviour on a GPU is boiled down to. `x` is a setting as a share of the highest one, above
// 0 and at most 1.

// Draw in watts of a GPU at work: static_w + dynamic_w * x^exponent.
struct PowerCurve {
  double static_w = 0.0;
  double dynamic_w = 0.0;
  double exponent = 1.0;

  double At(double x) const;
  double top_w() const { return static_w + dynamic_w; }
  // The setting with this draw, between the lowest that makes sense and 1.
  double SettingAt(double watts) const;
  friend bool operator==(const PowerCurve&, const PowerCurve&) = default;
};
inline constexpr double kLowestSetting = 0.05;

// Time of a step against that at the highest setting: a + b / x. What a stands for (memory, input, host) does not know
// the core clock.
struct TimeCurve {
  double a = 0.0;
  double b = 1.0;

  double At(double x) const { return a + b / x; }
  friend bool operator==(const TimeCurve&, const TimeCurve&) = default;
};

// Speed of n workers against one: n^kappa.
struct ScalingCurve {
  double kappa = 1.0;

  double At(int workers) const;
  friend bool operator==(const ScalingCurve&, const ScalingCurve&) = default;
};

// Average draw under a power limit: offset_w + slope * limit, but never below floor_w (a limit that the GPU cannot
// keep) nor above top_w (more than the model asks for). The slope is below 1 where the GPU waits for input between
// bursts.
struct DrawCurve {
  double offset_w = 0.0;
  double slope = 1.0;
  double floor_w = 0.0;
  double top_w = 0.0;

  double At(double limit_w) const;
  friend bool operator==(const DrawCurve&, const DrawCurve&) = default;
};

// What a power limit does: the limit sets the draw, the draw a setting that nobody sees (power, inverted), the setting
// the time. A model that ignores the limit has b = 0.
struct LimitCurve {
  DrawCurve draw;
  PowerCurve power;
  TimeCurve time;

  double WattsAt(double limit_w) const { return draw.At(limit_w); }
  // Time of a step against that at the highest limit measured.
  double TimeAt(double limit_w) const { return time.At(power.SettingAt(draw.At(limit_w))); }
  friend bool operator==(const LimitCurve&, const LimitCurve&) = default;
};

// A curve and its mean absolute percentage error, as a share.
template <typename Curve>
struct Fit {
  Curve curve;
  double mape = 0.0;
};
struct LimitFit {
  LimitCurve curve;
  double draw_mape = 0.0;
  double time_mape = 0.0;  // from the limit, through everything
};

// Least squares of relative errors: a sweep over what is not linear, coefficients that cannot be negative. Spans of one
// fit are alike in length; values are finite and above 0. Nothing when there are too few different settings to tell the
// parameters (three for power, two for time and scaling, four for limits).
std::optional<Fit<PowerCurve>> FitPower(std::span<const double> x, std::span<const double> watts);
std::optional<Fit<TimeCurve>> FitTime(std::span<const double> x, std::span<const double> seconds);
std::optional<Fit<ScalingCurve>> FitScaling(std::span<const int> workers, std::span<const double> speeds);
std::optional<LimitFit> FitLimit(std::span<const double> limits_w, std::span<const double> watts,
                                 std::span<const double> seconds);

}  // namespace heliostat::profile
