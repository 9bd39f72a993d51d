#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/node/level_control/choose.h"
#include "heliostat/signals/signal/signal.h"

namespace heliostat::experiments {

// A program whose speed and draw are known at every limit, 5 W apart as in Chase's code.
struct ChaseWorkload {
  std::string name;  // "resnet50-imagenet"
  int batch = 0;
  std::vector<level_control::LevelOption> options;  // ascending; the last is the default limit
};

struct ChaseInput {
  bool is_real = false;
  std::string gpu;
  std::vector<ChaseWorkload> workloads;
  std::vector<signal::Signal> trace;  // one: half-hours of the grid on which Chase was published
  std::optional<double> highest;  // of equation 6 on the trace, g/kWh, where it was published; else the day before's
  std::vector<signal::Signal> zones;  // hours, named by their zone
  std::string about;                  // where it all comes from
};

// The library's ResNet-50 on an A40, and built-in zones.
Result<ChaseInput> BuiltInChase();
// Zeus' traces of the A40, the published trace of Mason City, eight zones of Electricity Maps and two of CarbonCast.
// `folder` is laid out as the project's data folder is.
Result<ChaseInput> RealChase(const std::string& folder);

// Speed and draw at every multiple of 5 W between the lowest and the highest of `knots`, on straight lines between
// them. `knots` ascend, two at least.
std::vector<level_control::LevelOption> EveryFiveWatts(const std::vector<level_control::LevelOption>& knots);

}  // namespace heliostat::experiments
