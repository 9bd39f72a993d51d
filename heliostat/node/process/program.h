#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "heliostat/node/process/ending.h"

namespace heliostat::process {

// A running program as the loop that controls it sees it: a FollowedProgram, or a scripted one in tests. Thread-safe.
class Program {
 public:
  virtual ~Program() = default;

  // Waits for `timeout`, or until the program is done.
  virtual void Wait(std::chrono::milliseconds timeout) = 0;
  // True when the program has ended and its output is passed on.
  virtual bool is_done() const = 0;
  // Absent until the program is done.
  virtual std::optional<Ending> ending() const = 0;
  // What the program has written since the last call. Of a flood some lines are left out.
  virtual std::string TakeOutput() = 0;

  // Lets the program run for this share of each second, above 0 to 1. At 1 it is never held.
  virtual void SetDuty(double duty) = 0;
  // Whether a card must be put back if this process dies (ProgramCommand::restore).
  virtual void SetOwesCard(bool owes) = 0;
  // Asks the program to end by SIGTERM. One that does not end within ten seconds is killed.
  virtual void End() = 0;
};

}  // namespace heliostat::process
