#pragma once

#include <array>

#include "fakes/nvml/layout.h"

namespace heliostat::nvml_double {

// Time constants: power follows the demand of the loads, temperature follows power.
inline constexpr double kPowerLagSeconds = 0.1;
inline constexpr double kTemperatureLagSeconds = 20.0;

// The steady state of a GPU with its present loads. Loads take turns: each has a share of the time according to its
// duty, and in its turn the card is at device_model::PointAt().
struct Flow {
  double power_w = 0.0;
  double core_mhz = 0.0;
  double duty = 0.0;  // share of the time in which anything runs
  bool is_power_capped = false;
  std::array<double, kMostLoads> samples_per_s{};
  std::array<double, kMostLoads> shares{};  // of the time, by load
};

// The flow at gpu.at_s. The load of a process that has not reported for `grace_s` does not run.
Flow FlowOf(const GpuState& gpu, double grace_s);

// Simulates the time from gpu.at_s to `now_s`: power, energy and temperature in closed form; loads end exactly when
// they reach their goal or their process stops reporting. The result does not depend on the number of steps.
void Settle(GpuState& gpu, double now_s, double grace_s);

}  // namespace heliostat::nvml_double
