#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/ui/experiments/chase_input.h"
#include "heliostat/ui/experiments/chase_replay.h"
#include "heliostat/ui/experiments/finding.h"

namespace heliostat::experiments {

inline constexpr double kChaseHours = 20.0;      // of work at the default limit
inline constexpr double kChaseSlowdown = 0.025;  // of the published run

// A workload under one eta or under the time budget, mean over starts. Values are relative to the default limit: -0.1
// is 10 % less.
struct FrontierPoint {
  std::string workload;
  int batch = 0;
  std::optional<double> eta;  // nullopt: the time budget
  double carbon = 0.0;
  double time = 0.0;
  double energy = 0.0;
};

// All etas and the time budget for all workloads on the trace, with Chase's forecast model. Fails if the trace is too
// short.
Result<std::vector<FrontierPoint>> FrontierOf(const ChaseInput& input, Size size);

// The runs of a zone under the time budget, mean over starts in a year. Values are relative to the default limit.
struct ZonePoint {
  std::string zone;
  double slowdown = 0.0;  // the limit
  double carbon = 0.0;    // with our forecasts
  double time = 0.0;
  double constant_carbon = 0.0;  // best constant mixture of levels in the same time
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
