#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/node/process/relay.h"

namespace heliostat::process {

// What to run. The caller's environment plus these.
struct ProgramCommand {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;
};

// The guard is a small process between Heliostat and the program, made by fork. It is the program's parent, so that the
// program outlives Heliostat as if it had never been there: a process group that is held when its last parent in the
// session dies is killed by the kernel (SIGHUP), and one whose output nobody reads any more dies of that. While
// Heliostat lives the guard only tells how the program fares; when Heliostat is gone, however that came, it lets the
// program go on and passes its output on to the end.
struct GuardReport {
  enum class Kind : int { kStarted, kNotStarted, kSuspended, kEnded };
  Kind kind = Kind::kStarted;
  pid_t pid = 0;
  int detail = 0;  // errno, the signal that stopped it (never SIGSTOP), or the status of waitpid()
};

// The program's own output and error; -1: those of Heliostat.
struct ProgramFiles {
  int out = -1;
  int err = -1;
};

struct GuardHandle {
  pid_t pid = 0;
  // Records of GuardReport come in; a byte sent closes the relay of that number. Closed: Heliostat is gone.
  int channel = -1;
};

// Returns in the caller only. `relays` are those of the caller; the guard keeps its own copies of their files and no
// other file of the caller, lest a connection stay open that is to tell of the caller's death.
Result<GuardHandle> StartGuard(const ProgramCommand& command, const ProgramFiles& files, std::vector<Relay>& relays,
                               const struct sigaction& broken_pipe);

}  // namespace heliostat::process
