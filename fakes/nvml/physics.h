#pragma once

#include <array>

#include "fakes/nvml/layout.h"

namespace heliostat::nvml_double {

// A GPU's power follows what its loads ask for with this lag, its temperature follows the power.
inline constexpr double kPowerLagSeconds = 0.1;
inline constexpr double kTemperatureLagSeconds = 20.0;

// Where a GPU comes to stand with what runs on it. Loads take turns: each has a share of the time by its duty, and
// while it has its turn the card is as PointAt() says.
struct Flow {
  double power_w = 0.0;
  double core_mhz = 0.0;
  double duty = 0.0;  // share of the time in which anything runs
  bool is_power_capped = false;
  std::array<double, kMostLoads> samples_per_s{};
};

// As of gpu.at_s. A process that was not heard of for `grace_s` does not run.
Flow FlowOf(const GpuState& gpu, double grace_s);

// Lets the time from gpu.at_s to `now_s` pass: power, energy and temperature in closed form, loads ending at the very
// moment when they reach their goal or were given up. Settling in many steps or in one comes to the same.
void Settle(GpuState& gpu, double now_s, double grace_s);

}  // namespace heliostat::nvml_double
