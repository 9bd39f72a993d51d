#pragma once

#include <chrono>
#include <string>

#include "heliostat/base/core/clock.h"

namespace heliostat::cluster {

// How a caller treats a cluster that does not answer.
struct Patience {
  int failures = 3;  // in a row, after which only the cheapest question is asked
  std::chrono::milliseconds first_wait{5000};
  std::chrono::milliseconds longest_wait{60'000};  // each wait is twice as long as the one before
};

// Keeps calls away from a cluster that does not answer. Closed: calls pass. After `Patience::failures` failures in a
// row it is open: a call passes only after a wait and a probe that succeeds. Not thread-safe.
class CircuitBreaker {
 public:
  CircuitBreaker(const Clock& clock, const Patience& patience) : clock_(clock), patience_(patience) {}

  bool is_open() const { return failures_ >= patience_.failures; }
  // Open, and it is not yet time for a probe.
  bool MustWait() const { return is_open() && clock_.Steady() < next_probe_; }
  void Succeed() { failures_ = 0; }
  // After a failed call, or after a failed probe: `what` is its line.
  void Fail(std::string what);

  // "does not answer since 2026-11-18T16:00:00Z (squeue: …); asked again in 5 s". Only while it is open.
  std::string Line() const;

 private:
  const Clock& clock_;
  Patience patience_;
  int failures_ = 0;
  Instant since_;
  std::string what_;
  std::chrono::milliseconds wait_{};
  Clock::Time next_probe_;
};

}  // namespace heliostat::cluster
