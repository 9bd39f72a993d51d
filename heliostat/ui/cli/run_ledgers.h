#pragma once

#include <string>

#include "heliostat/base/io/json.h"
#include "heliostat/node/ledger/run.h"
#include "heliostat/ui/cli/syntax.h"

namespace heliostat::cli {

// Functions that the commands about past runs share.

// The folder of runs: `option` if it is not empty, else HELIOSTAT_RUNS, else the user's data folder. Fails if none is
// known.
Result<std::string> RunsFolderOr(const std::string& option);
// The value of --folder of `runs`, the parent of `command`; empty if not given.
std::string FolderOption(const Syntax& command);
// The state of a run at the time of the call: "finished", "failed 3", "running" or "cut off". Checks whether the
// process of the run is alive on this machine.
std::string StateTextNow(const ledger::Run& run);
// A run as JSON: its beginning, bill, decisions, notes, end and troubles.
io::Json RunJson(const ledger::Run& run);
// A run as one row of `runs --json`.
io::Json RunLineJson(const ledger::Run& run);

}  // namespace heliostat::cli
