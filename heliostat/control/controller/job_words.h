#pragma once

#include <string>

#include "heliostat/control/controller/report.h"

namespace heliostat::controller {

// For the user of a job, in plain words. The first two are a sentence or two, without a period at the end.

// Whether waiting is allowed and of use: jobs without GPUs have nothing to save.
bool MayWait(const JobReport& report);
// The latest start of a job that waits, here or in the shadow. Absent: it may not wait, or its start is not known.
std::optional<Instant> LatestStartOf(const JobReport& report);
// Why the job waits or runs, until when it may wait, and what that saves.
std::string ReasonOf(const JobReport& report, Mode mode);
// What its user or operator can change about it.
std::string AdviceFor(const JobReport& report);
// The same as the reason, in the few words that a table has room for: "may wait", "left alone: interactive".
std::string StandingOf(const JobReport& report, Mode mode);
// "deadline 2026-11-18T08:00:00Z, slack 50 %, may requeue"; "nothing".
std::string AllowedBy(const JobReport& report);

}  // namespace heliostat::controller
