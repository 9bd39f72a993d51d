#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/node/level_control/controller.h"
#include "heliostat/signals/signal/signal.h"

namespace heliostat::experiments {

inline constexpr Duration kChasePeriod{1800};

// A span of time in periods of kChasePeriod: the true intensity of each, and the forecast at its start, in g/kWh.
struct ChaseWindow {
  Instant start{};
  std::vector<double> truth;
  std::vector<std::vector<double>> forecasts;  // [period]: from that period to the end
  double highest = 0.0;                        // of the 24 hours before
};

// The window of `periods` half-hours from `start` on. `model` is fitted once, to the `train` before `start`, as Chase
// does; later forecasts use the values measured since. "perfect" forecasts the true values. The series must have no
// gaps and must cover the training time and the window.
Result<ChaseWindow> LookAt(const signal::Signal& signal, Instant start, std::size_t periods, const std::string& model,
                           Duration train);

// The result of a run. Carbon is by the true intensity, not by the forecast.
struct ChaseRun {
  double carbon_g = 0.0;
  double seconds = 0.0;
  double joules = 0.0;
};

// Runs `work` under the controller from the start of the window. After the window its last intensity applies.
Result<ChaseRun> Replay(const ChaseWindow& window, const std::vector<level_control::LevelOption>& options,
                        const level_control::Settings& settings, double work);
// The same at constant power and speed.
ChaseRun RunConstant(const ChaseWindow& window, double speed, Watts power, double work);
// The same with the constant mixture of levels that needs the least energy to finish in `seconds`: the saving without
// timing.
ChaseRun BestConstant(const ChaseWindow& window, const std::vector<level_control::LevelOption>& options, double work,
                      double seconds);

}  // namespace heliostat::experiments
