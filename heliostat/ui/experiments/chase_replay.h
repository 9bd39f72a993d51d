#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/node/level_control/controller.h"
#include "heliostat/signals/signal/signal.h"

namespace heliostat::experiments {

inline constexpr Duration kChasePeriod{1800};

// A part of a grid's time, period by period: what was, and what was expected at each period's begin, in g/kWh.
struct ChaseWindow {
  Instant start{};
  std::vector<double> truth;
  std::vector<std::vector<double>> forecasts;  // [period]: from that period to the end
  double highest = 0.0;                        // of the 24 hours before
};

// `periods` half-hours from `start` on. `model` is fitted once, at the start, on the `train` before it, as Chase does;
// it follows what is measured since. "perfect" expects what will be. The series has no holes and reaches far enough.
Result<ChaseWindow> LookAt(const signal::Signal& signal, Instant start, std::size_t periods, const std::string& model,
                           Duration train);

// What a run came to. Carbon is charged at the intensity that was, whatever was expected.
struct ChaseRun {
  double carbon_g = 0.0;
  double seconds = 0.0;
  double joules = 0.0;
};

// `work` under the controller from the window's start on. After the window its last intensity goes on.
Result<ChaseRun> Replay(const ChaseWindow& window, const std::vector<level_control::LevelOption>& options,
                        const level_control::Settings& settings, double work);
// The same at one draw and speed all the while.
ChaseRun RunConstant(const ChaseWindow& window, double speed, Watts power, double work);
// The mixture of levels with the least energy that is done in `seconds`, held all the while: what saving energy alone
// gives for that time.
ChaseRun BestConstant(const ChaseWindow& window, const std::vector<level_control::LevelOption>& options, double work,
                      double seconds);

}  // namespace heliostat::experiments
