#pragma once

#include <optional>
#include <string>

#include "heliostat/control/cluster/action_mechanism.h"
#include "heliostat/control/cluster/actions.h"

// What an action does to a record, as a function of the record alone. Internal to this layer.
namespace heliostat::cluster {

// The way of one action. Either it is decided, or: write the comment before, change, write the comment after.
struct Step {
  std::optional<ActionResult> decided;
  std::optional<std::string> comment_before;
  RecordChange change;
  std::optional<std::string> comment_after;
  ActionResult at_success{Outcome::kDone, ""};
};

// `is_unsure`: the last change of this job has an unknown result, so values of before it are not its owner's change.
Step StepFor(const JobRecord& record, const JobVerb& verb, Instant now, bool is_unsure);

// Whether `after` is what `change` makes of `before`. A job that has started by then fulfils no change of its waiting,
// but for one that lets it start.
bool IsFulfilled(const RecordChange& change, const JobRecord& before, const JobRecord& after, Instant now);

}  // namespace heliostat::cluster
