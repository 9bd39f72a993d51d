#include "heliostat/node/training_run/levels.h"

#include <algorithm>
#include <cmath>

namespace heliostat::training_run {
namespace {

// Fine enough that the best level is within a fraction of a percent of the optimum, few enough for the fit.
constexpr int kSteps = 20;
// Share of the highest clock below which clocks save little: time grows as fast as power falls.
constexpr double kLowestClock = 0.45;

Result<std::vector<double>> Limits(const std::vector<device::Gpu*>& gpus) {
  double low = 0.0;
  double high = 1e9;
  for (device::Gpu* gpu : gpus) {
    const device::Abilities& abilities = gpu->abilities();
    if (!abilities.has_power_limit) {
      return Fail(ErrorCode::kUnsupported, "knob", gpu->identity().name + " has no settable power limit",
                  "core-clock or pace");
    }
    low = std::max(low, abilities.lowest_limit.value);
    high = std::min(high, abilities.default_limit.value);
    // A lower limit that an operator has set is the default here, and is never raised.
    const auto stands = gpu->Stands(Knob::kPowerLimit);
    if (stands && !stands->is_default) high = std::min(high, std::max(low, stands->limit().value));
  }
  std::vector<double> levels;
  for (int i = 0; i <= kSteps; ++i) {
    const double level = std::round(low + (high - low) * i / kSteps);
    if (levels.empty() || level > levels.back()) levels.push_back(level);
  }
  return levels;
}

Result<std::vector<double>> Clocks(const std::vector<device::Gpu*>& gpus) {
  const std::vector<int>& clocks = gpus.front()->abilities().core_clocks_mhz;
  if (clocks.empty() || !gpus.front()->abilities().has_core_lock) {
    return Fail(ErrorCode::kUnsupported, "knob", gpus.front()->identity().name + " has no lockable core clock",
                "power-limit or pace");
  }
  std::vector<double> levels;
  const double lowest = kLowestClock * clocks.back();
  for (int i = 0; i <= kSteps; ++i) {
    const double wanted = lowest + (clocks.back() - lowest) * i / kSteps;
    const auto at = std::lower_bound(clocks.begin(), clocks.end(), static_cast<int>(wanted));
    const double level = at == clocks.end() ? clocks.back() : *at;
    if (levels.empty() || level > levels.back()) levels.push_back(level);
  }
  return levels;
}

}  // namespace

Result<std::vector<double>> LevelsOf(Knob knob, const std::vector<device::Gpu*>& gpus) {
  switch (knob) {
    case Knob::kPowerLimit:
      return Limits(gpus);
    case Knob::kCoreClock:
      return Clocks(gpus);
    case Knob::kMemoryClock:
    case Knob::kPace:
      break;
  }
  return std::vector<double>{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
}

Watts MostPowerOf(const std::vector<device::Gpu*>& gpus) {
  Watts sum;
  for (const device::Gpu* gpu : gpus) sum += gpu->abilities().highest_limit;
  return sum;
}

}  // namespace heliostat::training_run
