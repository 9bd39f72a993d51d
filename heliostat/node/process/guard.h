#pragma once

#include <sys/types.h>

#include <array>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/node/process/guard_state.h"
#include "heliostat/node/process/relay.h"

namespace heliostat::process {

// What to run.
struct ProgramCommand {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;  // added to the caller's
  std::vector<std::string> withheld{};                           // names of variables that the program does not get
  std::vector<std::string> restore{};  // run by a guard when Heliostat has died and GuardState::owes_card is set
};

// A report of a guard.
//
// Two guards are small processes between Heliostat and the program, made by fork: Heliostat is the parent of the second
// guard, the second guard that of the first, the first guard that of the program. When one of them dies, the next one
// above becomes the program's parent (PR_SET_CHILD_SUBREAPER), so that whichever two die or are stopped, one remains.
// A parent in the program's session must remain: otherwise the kernel kills a held process group (SIGHUP).
//
// While Heliostat lives, the guards report state changes of the program. When Heliostat gives no sign of life for two
// seconds, they continue what it has stopped. After its death they also pass the program's output on until the end and
// start the command that puts the card back. Each guard has a process group of its own, so that a signal to the group
// of Heliostat does not reach it, and continues the other one when that is stopped. After the fork they allocate
// nothing: another thread of Heliostat may have held the lock of the allocator.
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

struct GuardHandles {
  pid_t child = 0;  // the second guard, which Heliostat collects
  // Of the first and the second guard: receive GuardReport records. A byte that Heliostat sends wakes the guard. A
  // guard takes the end of its channel for the death of Heliostat.
  std::array<int, 2> channels{-1, -1};
};

// Returns in the caller only. Guards keep copies of the files of `relays` and no other file of the caller, so that no
// connection whose end signals the caller's death stays open. `state` must be shared memory.
Result<GuardHandles> StartGuards(const ProgramCommand& command, const ProgramFiles& files, std::vector<Relay>& relays,
                                 const struct sigaction& broken_pipe, GuardState& state);

}  // namespace heliostat::process
