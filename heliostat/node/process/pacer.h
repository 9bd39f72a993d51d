#pragma once

#include <chrono>

namespace heliostat::process {

// When a paced program runs: for a share of each second. Not thread-safe.
class Pacer {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Phase {
    bool should_run = true;
    Time until{};  // when to ask again at the latest
  };

  // `duty`: the share of time in which the program runs, 0 to 1.
  Phase At(Time now, double duty);

 private:
  Time begun_{};  // of the present second
};

}  // namespace heliostat::process
