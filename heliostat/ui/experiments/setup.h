#pragma once

#include "heliostat/model/scenario/past.h"
#include "heliostat/model/scenario/scenario.h"
#include "heliostat/ui/experiments/case.h"
#include "heliostat/ui/experiments/places.h"

namespace heliostat::experiments {

// How much is known of the time before a case begins: what forecasts learn from.
inline constexpr Duration kHistory = std::chrono::days{42};

// A case as a scenario, and what was measured before it.
struct Setup {
  scenario::Scenario scenario;
  scenario::Past past;
};
Result<Setup> MakeSetup(const Case& one, const StudyPlaces& world);

}  // namespace heliostat::experiments
