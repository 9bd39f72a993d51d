#pragma once

#include <chrono>

namespace heliostat::process {

// A running program: Child, or a scripted one in tests. Used from one thread.
class Program {
 public:
  virtual ~Program() = default;

  // Passes on the program's output, and waits for more for at most `timeout`.
  virtual void Poll(std::chrono::milliseconds timeout) = 0;
  // True when the program has ended and its output is passed on.
  virtual bool is_done() const = 0;

  // Hold() stops the program and its descendants, Release() continues them: for pacing.
  virtual void Hold() = 0;
  virtual void Release() = 0;
  virtual bool is_held() const = 0;
};

}  // namespace heliostat::process
