#pragma once

#include <memory>
#include <string>

#include "heliostat/control/policy/observation.h"
#include "heliostat/model/scenario/past.h"

namespace heliostat::sim {

// What a simulation lets policies know about the future at each slot. All policies of a scenario share one foresight,
// so each forecast is made once. Thread-safe.
class Foresight {
 public:
  virtual ~Foresight() = default;
  // From `slot` on: its true values, then the expected ones, up to the horizon but at most a week. Valid as long as the
  // foresight and the scenario.
  virtual policy::Forecast At(std::size_t slot) = 0;
  // Whether it shows all signals and jobs up to the horizon as they will be.
  virtual bool KnowsAll() const { return false; }
};

// The true signals and, `with_jobs`, all jobs that will arrive. The scenario must outlive it.
std::unique_ptr<Foresight> PerfectForesight(const scenario::Scenario& scenario, bool with_jobs = true);

// Forecasts by `model`, a name of the forecast layer. The model is fitted again every day while there is little data,
// and every week later. The scenario must outlive it. Fails on an unknown model.
Result<std::unique_ptr<Foresight>> ForecastForesight(const scenario::Scenario& scenario, const scenario::Past& past,
                                                     const std::string& model);

// The true signals with random relative errors. Their standard deviation grows with the lead up to `error` at one day
// and stays there. Errors are correlated over leads and from slot to slot. The scenario must outlive it.
std::unique_ptr<Foresight> DisturbedForesight(const scenario::Scenario& scenario, double error, std::uint64_t seed);

}  // namespace heliostat::sim
