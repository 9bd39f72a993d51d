#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/node/process/relay.h"

namespace heliostat::process {

// What to run. `environment` is added to the caller's environment.
struct ProgramCommand {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;
};

// A report of the guard: a small process between Heliostat and the program, made by fork. The guard is the program's
// parent, so that the program survives the death of Heliostat. Without it, the kernel would kill a held process group
// whose last parent in the session dies (SIGHUP), and a program whose output is no longer read would get SIGPIPE. While
// Heliostat lives, the guard only reports state changes of the program. After Heliostat's death it releases the program
// and passes its output on until the end.
struct GuardReport {
  enum class Kind : int { kStarted, kNotStarted, kSuspended, kEnded };
  Kind kind = Kind::kStarted;
  pid_t pid = 0;
  int detail = 0;  // errno, the signal that stopped it (never SIGSTOP), or the status of waitpid()
};

// Output and error of the program; -1: those of Heliostat.
struct ProgramFiles {
  int out = -1;
  int err = -1;
};

struct GuardHandle {
  pid_t pid = 0;
  // Receives GuardReport records. Sending a byte closes the guard's relay of that number. The guard takes the end of
  // the channel for the death of Heliostat.
  int channel = -1;
};

// Returns in the caller only. The guard keeps copies of the files of `relays` and no other file of the caller, so that
// no connection whose end signals the caller's death stays open.
Result<GuardHandle> StartGuard(const ProgramCommand& command, const ProgramFiles& files, std::vector<Relay>& relays,
                               const struct sigaction& broken_pipe);

}  // namespace heliostat::process
