#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heliostat/node/ledger/run.h"

namespace heliostat::ledger {

enum class RunState {
  kRunning,    // its author lives
  kFinished,   // exit status 0
  kFailed,     // another
  kCutOff,     // no end on record, and its author is gone
  kElsewhere,  // no end on record, and its author is of another machine (a shared home)
};
std::string_view NameOf(RunState state);
// "finished", "failed 3", "cut off", "open on node7".
std::string StateText(RunState state, const Run& run);

// What a run's Begin says of where it was made.
std::string ThisHost();

// Whether the author of a ledger on this machine lives.
using Lives = std::function<bool(const Author& author)>;
RunState StateOf(const Run& run, const std::string& host, const Lives& lives);

struct Listing {
  std::vector<Run> runs;              // newest first
  std::vector<std::string> troubles;  // a line for each ledger that could not be read
};

// What a folder holds; other files and folders in it are nobody's business. No such folder: no runs.
Listing RunsIn(const std::string& folder);

// The run that `name` means: its ID, or a beginning or end of it that no other has; empty: the last one. kNotFound
// names the folder.
Result<Run> FindRun(const std::string& folder, const std::string& name);

}  // namespace heliostat::ledger
