#pragma once

#include <string>

#include "heliostat/planning/planner/planner.h"
#include "heliostat/ui/report/plan_page.h"

namespace heliostat::cli {

// Why a job runs when it does, for people, programs and pages. Slots of one state after the other become one row.
std::string TextOf(const planner::Explanation& explanation, const scenario::Scenario& scenario);
io::Json JsonOf(const planner::Explanation& explanation);
report::PageSection SectionOf(const planner::Explanation& explanation, const scenario::Scenario& scenario);

}  // namespace heliostat::cli
