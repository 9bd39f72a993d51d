#pragma once

#include <string>

#include "heliostat/control/controller/report.h"

namespace heliostat::controller {

// For the user of a job, in plain words. Each is one sentence or two, without a period at the end.

// Why the job waits or runs, until when it may wait, and what that saves.
std::string ReasonOf(const JobReport& report, Mode mode);
// What its user or operator can change about it; empty: nothing would help.
std::string AdviceFor(const JobReport& report);
// "deadline 2026-11-18T08:00:00Z, slack 50 %, may requeue"; "nothing".
std::string AllowedBy(const JobReport& report);

}  // namespace heliostat::controller
