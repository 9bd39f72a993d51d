#pragma once

#include <string>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/control/sim/comparison.h"
#include "heliostat/ui/cli/output_files.h"

namespace heliostat::cli {

// Adds `slots`, `jobs` and `services` of one policy to its entry in the simulation document.
void AddDetails(const scenario::Scenario& scenario, const sim::SimulatedRun& run, io::Json& policy);

// The files that --csv DIR writes: policies.csv, slots.csv and jobs.csv, still without text. An empty `folder` means
// that the option is not given: there are no files then.
std::vector<OutputFile> TableFiles(const std::string& folder);
// Writes the tables of the comparison into the texts of these files.
void FillTables(const scenario::Scenario& scenario, const sim::Comparison& comparison, std::vector<OutputFile>& files);

}  // namespace heliostat::cli
