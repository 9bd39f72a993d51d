#include "heliostat/control/policy/planning.h"

namespace heliostat::policy {

void TimedPlanning::Begin(std::shared_ptr<PlanTask> task, Instant now) {
  auto rounds = plan::Rounds::AtMost(most_rounds_);
  task->Make(rounds);
  rounds_ = rounds.done();
  arrival_ = now + time_;
}

bool TimedPlanning::Take(Instant now) {
  if (!arrival_ || now < *arrival_) return false;
  arrival_.reset();
  return true;
}

}  // namespace heliostat::policy
