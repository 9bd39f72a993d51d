#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heliostat/node/ledger/run.h"

namespace heliostat::ledger {

enum class RunState {
  kRunning,    // no end on record, and its author lives
  kFinished,   // exit status 0
  kFailed,     // another exit status
  kCutOff,     // no end on record, and its author has ended
  kElsewhere,  // no end on record, and its author is on another machine (a shared home)
};
std::string_view NameOf(RunState state);
// "finished", "failed 3", "interrupted by Ctrl-C", "cut off", "open on node7".
std::string StateText(RunState state, const Run& run);

// The name of this machine, for Begin::host.
std::string ThisHost();

// Returns whether the author of a ledger of this machine is alive.
using Lives = std::function<bool(const Author& author)>;
RunState StateOf(const Run& run, const std::string& host, const Lives& lives);

struct Listing {
  std::vector<Run> runs;              // newest first
  std::vector<std::string> troubles;  // one line per ledger that could not be read
};

// All runs in a folder; other files and folders in it are ignored. A folder that does not exist has no runs.
Listing RunsIn(const std::string& folder);

// The run with the ID `name`, or with an ID that begins or ends with it; empty: the last run. kNotFound when the folder
// has no runs, kInvalidArgument when `name` matches none or several.
Result<Run> FindRun(const std::string& folder, const std::string& name);

}  // namespace heliostat::ledger
