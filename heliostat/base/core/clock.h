#pragma once

#include <chrono>

#include "heliostat/base/core/time.h"

namespace heliostat {

// The source of the current time. All code that needs the time takes a Clock, so that a test or a simulation can
// control it. Each implementation states its own thread safety.
class Clock {
 public:
  // A monotonic time: corrections of the wall clock do not move it.
  using Time = std::chrono::steady_clock::time_point;

  virtual ~Clock() = default;
  // The wall clock, UTC, rounded down to a whole second.
  virtual Instant Now() const = 0;
  // For durations and deadlines; comparable only with values of the same clock.
  virtual Time Steady() const = 0;
  // Blocks the calling thread for `duration`; a ManualClock returns at once and moves on by `duration`.
  virtual void Sleep(std::chrono::milliseconds duration) = 0;
};

// The clock of the machine. Thread-safe.
class SystemClock final : public Clock {
 public:
  Instant Now() const override;
  Time Steady() const override { return std::chrono::steady_clock::now(); }
  void Sleep(std::chrono::milliseconds duration) override;
};

// A clock for tests and simulations: it moves only by Sleep(), Advance() and Set(). Not thread-safe: several threads
// may read it only while no thread moves it.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Instant now) : now_(now) {}
  Instant Now() const override { return std::chrono::time_point_cast<std::chrono::seconds>(now_); }
  Time Steady() const override { return steady_; }
  void Sleep(std::chrono::milliseconds duration) override {
    Advance(duration);
    slept_ += duration;
  }
  // Moves both the wall clock and Steady().
  void Advance(std::chrono::milliseconds duration) {
    now_ += duration;
    steady_ += duration;
  }
  // Corrects the wall clock; does not move Steady().
  void Set(Instant now) { now_ = now; }
  // The sum of all Sleep() calls; Advance() does not count.
  std::chrono::milliseconds slept() const { return slept_; }

 private:
  std::chrono::sys_time<std::chrono::milliseconds> now_;
  Time steady_{std::chrono::hours(1)};
  std::chrono::milliseconds slept_{0};
};

}  // namespace heliostat
