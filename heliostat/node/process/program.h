#pragma once

#include <chrono>

namespace heliostat::process {

// A running program as its follower sees it: Child, or a scripted one in tests. From one thread.
class Program {
 public:
  virtual ~Program() = default;

  // Passes on what it writes, and waits at most so long for more.
  virtual void Poll(std::chrono::milliseconds timeout) = 0;
  // Ended, and what it left passed on.
  virtual bool is_done() const = 0;

  // Holds the program and everything that descends from it, and lets it go on: for pacing.
  virtual void Hold() = 0;
  virtual void Release() = 0;
  virtual bool is_held() const = 0;
};

}  // namespace heliostat::process
