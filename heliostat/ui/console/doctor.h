#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/time.h"
#include "heliostat/node/gpu_access/gpus.h"
#include "heliostat/ui/console/text_and_json.h"

namespace heliostat::console {

enum class Health { kOk, kNote, kProblem };

// One result of an examination, as text for a user.
struct DoctorFinding {
  std::string subject;  // "driver", "GPU 0", "agent"
  Health health = Health::kOk;
  std::string what;
  std::string fix;  // what to do about it, with options as "option 'zone'"; empty if nothing
};

// Examines driver, GPUs, agent and permissions of this machine. Changes nothing.
std::vector<DoctorFinding> Examine(const Environment& environment);
// The same with GPUs that are already open.
std::vector<DoctorFinding> Examine(const gpu_access::Gpus& gpus, const Environment& environment);

// Examines what runs need beside GPUs: configuration, zone, stored signals, counters of processors, disk. Changes
// nothing.
std::vector<DoctorFinding> ExamineSetup(const Environment& environment, Instant now);

// The findings as text, and as JSON: {"healthy": true, "findings": [{"subject", "health", "what", "fix"}]}. "healthy"
// means that no finding is a problem.
TextAndJson Tell(const std::vector<DoctorFinding>& findings, bool is_utf8);

}  // namespace heliostat::console
