#pragma once

#include <span>
#include <string>
#include <vector>

#include "heliostat/model/profile/curve.h"
#include "heliostat/model/profile/library.h"
#include "heliostat/model/profile/measurement.h"

namespace heliostat::profile {

// A model with its batch and number of workers, for training or serving.
struct Workload {
  std::string model;
  bool is_training = true;
  int workers = 1;
  int batch = 1;
  friend auto operator<=>(const Workload&, const Workload&) = default;
};
Workload WorkloadOf(const Measurement& row);

// The power limit in watts or the core clock in MHz, whichever is set; 0 at the default.
double SettingOf(const scenario::GpuSetting& knob);

// All measurements of one workload on one GPU by one knob, from the lowest setting to the highest. Never empty.
struct Sweep {
  Workload workload;
  std::string gpu;
  std::vector<Measurement> points;

  const Measurement& top() const { return points.back(); }
};
// By model, batch, workers and GPU, in this order.
std::vector<Sweep> SweepsOf(std::span<const Measurement> rows);

// The curves fitted to a sweep, by limit or by clock, with the power of one worker. Nothing where there are too few
// settings or no power.
struct SweepFit {
  std::optional<LimitFit> limit;
  std::optional<Fit<PowerCurve>> power;
  std::optional<Fit<TimeCurve>> time;
};
SweepFit FitSweep(const Sweep& sweep);

// The speed-up by workers of one model with one batch on one GPU. Needs measurements with more than one number of
// workers.
struct ScalingFit {
  std::string model;
  std::string gpu;
  int batch = 1;
  Fit<ScalingCurve> fit;
};
std::vector<ScalingFit> FitScalings(std::span<const Sweep> sweeps);

}  // namespace heliostat::profile
