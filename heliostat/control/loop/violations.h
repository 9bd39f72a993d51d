#pragma once

#include <string>
#include <vector>

#include "heliostat/control/policy/observation.h"

namespace heliostat::loop {

// An order that its world must not be given.
struct Violation {
  enum class Part { kJob, kService, kNodes, kCallAgain };
  Part part = Part::kJob;
  std::size_t index = 0;  // into the decision's jobs, services or nodes_on
  std::string why;
};

// What is wrong with a decision, whatever the world: jobs and services that do not exist, operating points that the job
// may not use, moves out of its group, stops of jobs in one piece, orders beyond the world's capabilities, two settings
// for one job, times in the past.
std::vector<Violation> Violations(const policy::Observation& observation, const policy::Decision& decision);

}  // namespace heliostat::loop
