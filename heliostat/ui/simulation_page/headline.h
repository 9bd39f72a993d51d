#pragma once

#include <string>
#include <vector>

#include "heliostat/control/sim/comparison.h"
#include "heliostat/control/sim/year_saving.h"

namespace heliostat::simulation_page {

// The result of a comparison in one sentence, with its caveats.
struct Headline {
  std::size_t best = 0;                // the winner or, if no policy is eligible, the first
  std::string sentence;                // without a full stop
  std::vector<std::string> caveats{};  // whole sentences
};

// `comparison` must have at least one run.
Headline HeadlineOf(const scenario::Scenario& scenario, const sim::Comparison& comparison);

// "Of 135 kg CO2e saved: sleep 100 kg (74 %), timing 25.0 kg (19 %), speed 10.0 kg (7 %)"; empty without a split.
std::string SplitSentence(const sim::SavingSplit& split);
// "In a year 5.2 to 8.9 t CO2e and 120 to 190 EUR less: as if ..."; empty when the best is the first or the time is too
// short.
std::string YearSentence(const scenario::Scenario& scenario, const sim::Comparison& comparison, std::size_t best);
// "5.2 to 8.9 t"; in kg below a tonne.
std::string MassRange(const sim::YearRange& kilograms);

// The number of jobs with a deadline within the horizon.
std::size_t DeadlinesOf(const scenario::Scenario& scenario);

// "no policy can emit less than 62.9 kg ..."; empty if there is no bound.
std::string BoundSentence(const scenario::Scenario& scenario, const sim::Bound& bound);

}  // namespace heliostat::simulation_page
