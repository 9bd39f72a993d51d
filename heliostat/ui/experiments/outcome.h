#pragma once

#include <string_view>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/control/sim/bound.h"
#include "heliostat/ui/experiments/case.h"
#include "heliostat/ui/experiments/places.h"

namespace heliostat::experiments {

// What one policy came to.
struct CaseScore {
  Entrant entry;
  sim::Figures figures;     // wall_s is always 0: equal cases have equal scores
  double peak_share = 0.0;  // of training's GPU energy in the dearest quarter of all slots
};

struct CaseOutcome {
  std::vector<CaseScore> scores;  // in the case's order of entries
  sim::Bound bound;               // zero where nobody asked for it

  // nullptr: it did not take part.
  const CaseScore* Find(std::string_view policy, const Sight& sight = {}) const;
};

// Deterministic in both arguments.
Result<CaseOutcome> RunCase(const Case& one, const StudyPlaces& world);

io::Json ToJson(const CaseOutcome& outcome);
// The very numbers that ToJson() was given.
Result<CaseOutcome> OutcomeOf(const io::Json& json);

}  // namespace heliostat::experiments
