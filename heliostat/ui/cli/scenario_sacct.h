#pragma once

#include <string>

#include "heliostat/model/history/history.h"
#include "heliostat/model/workload/to_scenario.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/scenario_jobs.h"

namespace heliostat::cli {

// A site's own record and how to read it, as given on the command line.
struct SacctArguments {
  std::string file;  // "-": standard input; empty: none
  std::string end;
  std::string gpu_types;
  std::string default_slack = "0%";
  bool has_power_saving = false;
};

void AddSacctArguments(const Syntax& syntax, SacctArguments& arguments);

// A record and its scenario.
struct SacctScenario {
  history::SacctDump dump;
  history::HistoryScenario made;
};
// `start` and `hardware` are those that the user gave, or empty. Times without an offset are in the time zone of the
// trace, as those of the dump.
Result<SacctScenario> ScenarioOfSacct(const SacctArguments& arguments, const TraceArguments& trace,
                                      const std::string& start, const std::vector<workload::Hardware>& hardware,
                                      const workload::ScenarioRecipe& recipe);

// Adds what was left out and assumed to the output of `heliostat scenario make`.
void TellSacct(const SacctScenario& scenario, Output& output);

}  // namespace heliostat::cli
