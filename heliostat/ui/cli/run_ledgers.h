#pragma once

#include <string>

#include "heliostat/base/io/json.h"
#include "heliostat/node/ledger/run.h"
#include "heliostat/ui/cli/syntax.h"

namespace heliostat::cli {

// What the commands about past runs share.

// The folder of runs: what --folder says, else the user's own.
Result<std::string> RunsFolderOr(const std::string& option);
// --folder of `runs` itself, which its commands share; empty when not given. For a command of `runs`.
std::string FolderOption(const Syntax& command);
// "finished", "failed 3", "running", "cut off": as seen from this machine now.
std::string StateTextNow(const ledger::Run& run);
// Everything about a run: what it was, its bill, decisions and notes.
io::Json RunJson(const ledger::Run& run);
// The line of a run in a list.
io::Json RunLineJson(const ledger::Run& run);

}  // namespace heliostat::cli
