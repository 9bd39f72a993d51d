#pragma once

#include "heliostat/base/core/error.h"

namespace heliostat::process {

// How the program ended.
struct Ending {
  int exit_code = 0;
  int signal = 0;  // not 0: it was killed by this one

  // As shells tell it: the exit code, or 128 and the signal's number.
  int Status() const { return signal != 0 ? 128 + signal : exit_code; }
  friend bool operator==(const Ending&, const Ending&) = default;
};

// What a program exits with that could not start another one: 127 when there is no such program, else 126.
int StatusOfFailedStart(const Error& error);

// Ends this process as the program ended, by the same signal where it was one, so that a shell or a script that waits
// for us sees no difference. Runs no destructors: let the Child go first. `is_for_group`: all of our process group gets
// the signal, as from the terminal's keys (Child::had_terminal()).
[[noreturn]] void EndLike(const Ending& ending, bool is_for_group = false);

}  // namespace heliostat::process
