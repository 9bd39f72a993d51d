#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/environment.h"
#include "heliostat/node/gpu_access/gpus.h"
#include "heliostat/ui/console/told.h"

namespace heliostat::console {

enum class Health { kOk, kNote, kProblem };

// One thing that was looked at, in plain words, and what to do about it.
struct DoctorFinding {
  std::string subject;  // "driver", "GPU 0", "agent"
  Health health = Health::kOk;
  std::string what;
  std::string fix;  // empty when there is nothing to mend
};

// What works on this machine and what does not. Changes nothing.
std::vector<DoctorFinding> Examine(const Environment& environment);
// The same of GPUs that are open already.
std::vector<DoctorFinding> Examine(const gpu_access::Gpus& gpus, const Environment& environment);

// {"healthy": true, "findings": [{"subject", "health", "what", "fix"}]}.
Told Tell(const std::vector<DoctorFinding>& findings, bool is_utf8);

}  // namespace heliostat::console
