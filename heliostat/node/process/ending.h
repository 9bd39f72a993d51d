#pragma once

#include "heliostat/base/core/error.h"

namespace heliostat::process {

// How the program ended.
struct Ending {
  int exit_code = 0;
  int signal = 0;  // not 0: this signal killed it

  // As shells report it: the exit code, or 128 plus the number of the signal.
  int Status() const { return signal != 0 ? 128 + signal : exit_code; }
  friend bool operator==(const Ending&, const Ending&) = default;
};

// The exit status when a program could not be started, as in shells: 127 when there is no such program, else 126.
int StatusOfFailedStart(const Error& error);

// Ends this process as the program ended, by the same signal if there was one, so that a waiting shell or script sees
// no difference. Runs no destructors: destroy the Child first. `is_for_group`: the whole process group gets the signal,
// as from the terminal's keys (Child::had_terminal()).
[[noreturn]] void EndLike(const Ending& ending, bool is_for_group = false);

}  // namespace heliostat::process
