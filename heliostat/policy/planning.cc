#include "heliostat/policy/planning.h"

#include <utility>

namespace heliostat::policy {

void InPlacePlanning::Begin(std::shared_ptr<PlanTask> task, Instant /*now*/) {
  plan::Rounds rounds;
  task->Make(rounds);
  rounds_ = rounds.done();
  is_made_ = true;
}

bool InPlacePlanning::Take(Instant /*now*/) { return std::exchange(is_made_, false); }

}  // namespace heliostat::policy
