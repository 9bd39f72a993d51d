#pragma once

#include <string>
#include <vector>

#include "heliostat/control/sim/comparison.h"

namespace heliostat::simulation_page {

// The answer that a comparison gives, for who reads one sentence.
struct Headline {
  std::size_t best = 0;                // least carbon among those that miss the fewest deadlines
  std::string sentence;                // without a full stop
  std::vector<std::string> caveats{};  // what the sentence alone would hide, a sentence each
};

// At least one run.
Headline HeadlineOf(const scenario::Scenario& scenario, const sim::Comparison& comparison);

// Jobs that must be done within the horizon.
std::size_t DeadlinesOf(const scenario::Scenario& scenario);

// "no policy can emit less than 62.9 kg ..."; empty when no bound was asked for.
std::string BoundSentence(const scenario::Scenario& scenario, const sim::Bound& bound);

}  // namespace heliostat::simulation_page
