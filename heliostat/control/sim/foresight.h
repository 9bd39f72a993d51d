#pragma once

#include <memory>
#include <string>

#include "heliostat/control/policy/observation.h"
#include "heliostat/model/scenario/past.h"

namespace heliostat::sim {

// What can be known at each slot of what comes after it. The same for all policies of a scenario, so that forecasts are
// made once; safe to ask from several threads.
class Foresight {
 public:
  virtual ~Foresight() = default;
  // From `slot` on: its own values as they are, then those expected, as far as the horizon or a week.
  virtual policy::Forecast At(std::size_t slot) = 0;
};

// The truth: of signals alone, or of all jobs that will come as well.
std::unique_ptr<Foresight> PerfectForesight(const scenario::Scenario& scenario, bool with_jobs = true);

// The forecast layer's `model`, fitted anew every day while there is little to learn from and every week later. The
// scenario must outlive it.
Result<std::unique_ptr<Foresight>> ForecastForesight(const scenario::Scenario& scenario, const scenario::Past& past,
                                                     const std::string& model);

// The truth, disturbed: relative errors that grow with lead until their standard deviation is `error` after a day and
// stay there, correlated over leads and from slot to slot.
std::unique_ptr<Foresight> DisturbedForesight(const scenario::Scenario& scenario, double error, std::uint64_t seed);

}  // namespace heliostat::sim
