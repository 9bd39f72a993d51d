#pragma once

#include <string>

#include "heliostat/planning/planner/planner.h"
#include "heliostat/ui/report/plan_page.h"

namespace heliostat::cli {

// Why a job runs when it does, as text, as JSON and as a section of a page. In text and page, consecutive slots with
// the same state are one row; JSON has one row per slot.
std::string TextOf(const planner::Explanation& explanation, const scenario::Scenario& scenario);
io::Json JsonOf(const planner::Explanation& explanation);
report::PageSection SectionOf(const planner::Explanation& explanation, const scenario::Scenario& scenario);

}  // namespace heliostat::cli
