#pragma once

#include <string>
#include <vector>

#include "heliostat/control/sim/comparison.h"

namespace heliostat::simulation_page {

// The result of a comparison in one sentence, with its caveats.
struct Headline {
  std::size_t best = 0;                // least carbon among those that miss the fewest deadlines
  std::string sentence;                // without a full stop
  std::vector<std::string> caveats{};  // whole sentences
};

// `comparison` must have at least one run.
Headline HeadlineOf(const scenario::Scenario& scenario, const sim::Comparison& comparison);

// The number of jobs with a deadline within the horizon.
std::size_t DeadlinesOf(const scenario::Scenario& scenario);

// "no policy can emit less than 62.9 kg ..."; empty if there is no bound.
std::string BoundSentence(const scenario::Scenario& scenario, const sim::Bound& bound);

}  // namespace heliostat::simulation_page
