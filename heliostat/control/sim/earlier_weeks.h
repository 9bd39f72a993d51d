#pragma once

#include "heliostat/model/scenario/past.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::sim {

// A scenario and the measurements before it.
struct MovedScenario {
  scenario::Scenario scenario;
  scenario::Past past;
};

// The same work with the signals of earlier weeks: every time of the scenario moves back by `weeks`, and carbon
// intensity, price and on-site power come from `past`. So do the rates of services where `past` has them; else they
// stay. Fails when a signal of the scenario is not known for all of that time, which must end before the scenario
// begins.
Result<MovedScenario> MovedBack(const scenario::Scenario& scenario, const scenario::Past& past, int weeks);

}  // namespace heliostat::sim
