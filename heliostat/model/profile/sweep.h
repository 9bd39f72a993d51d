#pragma once

#include <span>
#include <string>
#include <vector>

#include "heliostat/model/profile/curve.h"
#include "heliostat/model/profile/library.h"
#include "heliostat/model/profile/measurement.h"

namespace heliostat::profile {

// What was run: a sweep of it is measured on one GPU.
struct Workload {
  std::string model;
  bool is_training = true;
  int workers = 1;
  int batch = 1;
  friend auto operator<=>(const Workload&, const Workload&) = default;
};
Workload WorkloadOf(const Measurement& row);

// Watts or MHz, whatever the GPU was set by; 0 at its default.
double SettingOf(const scenario::GpuSetting& knob);

// All measurements of one workload on one GPU, from the lowest setting to the highest. Never empty.
struct Sweep {
  Workload workload;
  std::string gpu;
  std::vector<Measurement> points;

  const Measurement& top() const { return points.back(); }
};
// By model, batch, workers and GPU, in this order.
std::vector<Sweep> SweepsOf(std::span<const Measurement> rows);

// The curves that fit a sweep, draws of one worker: by limit or by clock, whichever was swept; none where the settings
// are too few or draws are not known.
struct SweepFit {
  std::optional<LimitFit> limit;
  std::optional<Fit<PowerCurve>> power;
  std::optional<Fit<TimeCurve>> time;
};
SweepFit FitSweep(const Sweep& sweep);

// Speed-up by workers of one model with one batch on one GPU, where more than one number of them was measured.
struct ScalingFit {
  std::string model;
  std::string gpu;
  int batch = 1;
  Fit<ScalingCurve> fit;
};
std::vector<ScalingFit> FitScalings(std::span<const Sweep> sweeps);

}  // namespace heliostat::profile
