#pragma once

#include <string>
#include <vector>

#include "heliostat/control/policy/observation.h"

namespace heliostat::loop {

// An order that breaks the rules for policies; the driver refuses it.
struct Violation {
  enum class Part { kJob, kService, kNodes, kCallAgain };
  Part part = Part::kJob;
  std::size_t index = 0;  // into the decision's jobs, services or nodes_on
  std::string why;
};

// The violations in a decision, by part and in the order of the decision. They are: jobs and services that do not
// exist, jobs that are over or held, points that the job may not use, moves out of its group, stops of jobs that are
// not preemptible, orders beyond the world's capabilities, two settings for one job, times in the past.
std::vector<Violation> Violations(const policy::Observation& observation, const policy::Decision& decision);

}  // namespace heliostat::loop
