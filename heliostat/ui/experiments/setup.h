#pragma once

#include "heliostat/model/scenario/past.h"
#include "heliostat/model/scenario/scenario.h"
#include "heliostat/ui/experiments/case.h"
#include "heliostat/ui/experiments/places.h"

namespace heliostat::experiments {

// The length of history before a case, from which forecasts learn.
inline constexpr Duration kHistory = std::chrono::days{42};

// A case as a scenario, and its signals before the horizon.
struct Setup {
  scenario::Scenario scenario;
  scenario::Past past;
};
Result<Setup> MakeSetup(const Case& one, const StudyPlaces& world);

}  // namespace heliostat::experiments
