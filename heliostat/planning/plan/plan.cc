#include "heliostat/planning/plan/plan.h"

#include "heliostat/planning/plan/progress.h"

namespace heliostat::plan {

Plan EmptyPlan(const scenario::Scenario& scenario) {
  Plan plan;
  plan.jobs.resize(scenario.jobs.size());
  plan.services.resize(scenario.services.size());
  for (ServicePlan& service : plan.services) service.slots.resize(scenario.slots);
  plan.nodes_on.assign(scenario.groups.size(), std::vector<int>(scenario.slots, 0));
  return plan;
}

double SamplesDone(const scenario::Scenario& scenario, std::size_t job, const JobPlan& plan) {
  double samples = 0.0;
  for (const ProgressSpan& piece : PiecesOf(scenario, scenario.jobs[job], plan)) samples += piece.samples();
  return samples;
}

}  // namespace heliostat::plan
