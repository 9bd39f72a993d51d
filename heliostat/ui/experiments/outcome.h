#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/control/sim/bound.h"
#include "heliostat/ui/experiments/case.h"
#include "heliostat/ui/experiments/places.h"

namespace heliostat::experiments {

// The figures of one policy in a case.
struct CaseScore {
  Entrant entry;
  sim::Figures figures;                 // wall_s is always 0: equal cases have equal scores
  double peak_share = 0.0;              // of training's GPU energy in the dearest quarter of all slots
  std::optional<double> own_plan_kg{};  // carbon of its first plan; of policies that plan and know everything
};

struct CaseOutcome {
  std::vector<CaseScore> scores;  // in the case's order of entries
  sim::Bound bound;               // zero unless Case::with_bound

  // nullptr if the case does not have this policy with this sight. Valid as long as the outcome.
  const CaseScore* Find(std::string_view policy, const Sight& sight = {}) const;
};

// Simulates a case. The same arguments give the same outcome.
Result<CaseOutcome> RunCase(const Case& one, const StudyPlaces& world);

io::Json ToJson(const CaseOutcome& outcome);
// Reads the JSON of ToJson(); the numbers are exactly the same.
Result<CaseOutcome> OutcomeOf(const io::Json& json);

}  // namespace heliostat::experiments
