#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/model/history/record.h"
#include "heliostat/model/history/sacct.h"
#include "heliostat/model/history/site.h"
#include "heliostat/model/scenario/scenario.h"
#include "heliostat/model/workload/to_scenario.h"

namespace heliostat::history {

// How a site's record becomes a scenario.
struct HistoryOptions {
  // The time that the scenario shows. Without them, the time in which the dump is likely complete.
  std::optional<Instant> begin{};
  std::optional<Instant> end{};
  SiteOptions site{};
  // Of jobs that say nothing: how much later than they did they may end, as a share of their time limit.
  double default_slack = 0.0;
  bool has_power_saving = false;  // idle nodes of the site sleep
};

// What users allowed, by number of jobs.
struct AllowedTally {
  std::size_t by_comment = 0;   // deadline or slack of their own
  std::size_t by_default = 0;   // the default slack
  std::size_t nothing = 0;      // they start as they did and are only accounted
  std::size_t no_limit = 0;     // of `nothing`: slack, but no time limit that it is a share of
  std::size_t late_anyway = 0;  // of `nothing`: the deadline was missed on the site
  std::size_t may_pause = 0;    // suspend or requeue
};

struct HistoryScenario {
  scenario::Scenario scenario;
  RecordTally record{};
  AllowedTally allowed{};
  double gpu_hours = 0.0;            // of its jobs
  std::vector<std::string> notes{};  // what was left out or assumed, one sentence each
};

// Makes the scenario in which the jobs of a dump run. No job may start earlier than it did, so `submit` is its recorded
// start. Each job runs with the GPUs that it had, and only on that kind. Its samples are GPU-seconds at default
// settings, so it takes as long as it did; speed and power at other settings are those of a model that is drawn for
// its user and name, or recipe.model. A job that allows something has a deadline accordingly; any other job is due when
// it ended, and the time later that a node takes to wake. The recipe's start, slots, hardware, load, deadlines and
// services are not used. Fails for a dump without jobs on GPUs, and as SiteOf() and workload::Make() do.
Result<HistoryScenario> MakeFromDump(const SacctDump& dump, const HistoryOptions& options,
                                     const workload::ScenarioRecipe& recipe);

}  // namespace heliostat::history
