#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heliostat/model/profile/measurement.h"

namespace heliostat::profile {

// Speed and power of training with numbers of workers that were not measured. n workers are n^kappa times as fast as
// one. Workers exchange gradients once per step, so kappa rises with the time of a step.
struct ScalingRule {
  double kappa = 1.0;        // of a step of one second
  double per_ln_step = 0.0;  // change of kappa with the logarithm of the time of a step
  double error = 0.0;        // of kappa: in four of five cases the true one is nearer

  double KappaAt(double step_s) const;
  // The error of a speed of `to` workers that comes from `from` workers, as a share.
  double SpeedErrorOf(int from, int to) const;
  friend bool operator==(const ScalingRule&, const ScalingRule&) = default;
};

// A measured speed-up: `workers` workers of a model are `times` as fast as one, which takes `step_s` for a step.
struct SpeedUp {
  std::string model;
  double step_s = 1.0;
  int workers = 2;
  double times = 1.0;
};
// Fits the rule to speed-ups; every model counts alike. Its error is that of models left out of the fit in turn. Needs
// two models. Without `uses_step`, kappa does not depend on the step.
ScalingRule FitScalingRule(std::span<const SpeedUp> speed_ups, bool uses_step);

// FitScalingRule() of Gavel's K80 and P100 and of Pollux' T4 runs in one server: 273 speed-ups of ten models.
inline constexpr ScalingRule kByStep{0.940, 0.0857, 0.22};
inline constexpr ScalingRule kWithoutStep{0.801, 0.0, 0.22};
// The error of a kappa from the model's own measurements with two numbers of workers, on the same data.
inline constexpr double kOwnKappaError = 0.09;
// The power of a worker that waits for others, relative to a busy one: fitted to Zeus' runs of ResNet-18 and ResNet-50
// on 1, 2 and 4 GPUs. Energy per sample thus never falls with more workers.
inline constexpr double kWaitingPower = 0.57;

// The rows, and for each model on each GPU scaled ones for the numbers of workers in `counts` that were not measured
// there, from the nearest number. Their errors contain that of the row they come from. A batch of 1 counts as unknown.
// Serving rows stay as they are.
std::vector<Measurement> ScaleWorkers(std::span<const Measurement> rows, std::span<const int> counts);

}  // namespace heliostat::profile
