#pragma once

#include <vector>

#include "heliostat/control/sim/run.h"
#include "heliostat/ui/report/plan_tables.h"

namespace heliostat::cli {

// A policy that a plan is compared with, on the same scenario.
struct PlanBaseline {
  std::string policy;
  sim::Figures figures;
};

// Simulates the plain policies: every job at once and at full speed, with idle nodes asleep (unless `keeps_nodes_on`)
// and with every node on. The first is the one to compare with.
Result<std::vector<PlanBaseline>> BaselinesOf(const scenario::Scenario& scenario, bool keeps_nodes_on);

// What the plan saves, whether it meets the deadlines, and how far it is from the bound.
report::Answer AnswerOf(const report::PlanView& view, const std::vector<PlanBaseline>& baselines);

// How many deadlines every plan misses, as far as it is proven. A sentence.
std::string LeastMissesText(const plan::Outcome& outcome);

io::Json JsonOf(const std::vector<PlanBaseline>& baselines);

}  // namespace heliostat::cli
