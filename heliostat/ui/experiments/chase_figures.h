#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/ui/experiments/chase_input.h"
#include "heliostat/ui/experiments/chase_replay.h"
#include "heliostat/ui/experiments/finding.h"

namespace heliostat::experiments {

inline constexpr double kChaseHours = 20.0;      // of work at the default limit
inline constexpr double kChaseSlowdown = 0.025;  // what the paper's run took longer

// One way to run a workload against its default limit, the mean over starts; shares: -0.1 is 10 % less.
struct FrontierPoint {
  std::string workload;
  int batch = 0;
  std::optional<double> eta;  // nothing: the time budget
  double carbon = 0.0;
  double time = 0.0;
  double energy = 0.0;
};

// Every eta and the budget for every workload, on the trace, starts spread over it; Chase's own forecast.
Result<std::vector<FrontierPoint>> FrontierOf(const ChaseInput& input, Size size);

// What a zone's runs came to under the time budget, the mean over starts of a year, as shares against the default.
struct ZonePoint {
  std::string zone;
  double slowdown = 0.0;  // that was allowed
  double carbon = 0.0;    // with our forecasts
  double time = 0.0;
  double constant_carbon = 0.0;  // the best level held, done in the same time
  double perfect_carbon = 0.0;   // with forecasts that are true
  double eta_carbon = 0.0;       // equation 6 with eta 0.30, Chase's forecast
  double eta_time = 0.0;
  double eta_constant_carbon = 0.0;
  double swing = 0.0;          // of the intensity during a run: standard deviation over mean
  std::vector<double> timing;  // of each run: carbon less constant_carbon

  double timing_points() const { return carbon - constant_carbon; }
};
Result<std::vector<ZonePoint>> ZonesOf(const ChaseInput& input, const ChaseWorkload& workload, Size size);

}  // namespace heliostat::experiments
