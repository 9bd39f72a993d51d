#pragma once

#include <string_view>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/control/sim/bound.h"
#include "heliostat/ui/experiments/case.h"
#include "heliostat/ui/experiments/places.h"

namespace heliostat::experiments {

// What one policy came to.
struct Score {
  Entry entry;
  sim::Figures figures;     // wall_s is always 0: equal cases have equal scores
  double peak_share = 0.0;  // of training's GPU energy in the dearest quarter of all slots
};

struct Outcome {
  std::vector<Score> scores;  // in the case's order of entries
  sim::Bound bound;           // zero where nobody asked for it

  // nullptr: it did not take part.
  const Score* Find(std::string_view policy, const Sight& sight = {}) const;
};

// Deterministic in both arguments.
Result<Outcome> RunCase(const Case& one, const World& world);

io::Json ToJson(const Outcome& outcome);
// The very numbers that ToJson() was given.
Result<Outcome> OutcomeOf(const io::Json& json);

}  // namespace heliostat::experiments
