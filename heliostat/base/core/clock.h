#pragma once

#include <chrono>

#include "heliostat/base/core/time.h"

namespace heliostat {

// Where "now" comes from. Everything that needs the time takes a Clock, so that
// a test or a simulation can own it. Thread-safe as far as the implementation
// says; both below may be read from several threads.
class Clock {
 public:
  // On a scale of its own, which no correction of the wall clock moves.
  using Time = std::chrono::steady_clock::time_point;

  virtual ~Clock() = default;
  virtual Instant Now() const = 0;
  // For how long things take and when they are due.
  virtual Time Steady() const = 0;
  // Waits, or pretends to: a manual clock just moves on.
  virtual void Sleep(std::chrono::milliseconds duration) = 0;
};

// The machine's own clock, UTC.
class SystemClock final : public Clock {
 public:
  Instant Now() const override;
  Time Steady() const override { return std::chrono::steady_clock::now(); }
  void Sleep(std::chrono::milliseconds duration) override;
};

// Stands still until told otherwise. Sleep moves it and remembers how long was slept. Set is a correction of the wall
// clock: it does not move Steady().
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Instant now) : now_(now) {}
  Instant Now() const override { return std::chrono::time_point_cast<std::chrono::seconds>(now_); }
  Time Steady() const override { return steady_; }
  void Sleep(std::chrono::milliseconds duration) override {
    Advance(duration);
    slept_ += duration;
  }
  void Advance(std::chrono::milliseconds duration) {
    now_ += duration;
    steady_ += duration;
  }
  void Set(Instant now) { now_ = now; }
  std::chrono::milliseconds slept() const { return slept_; }

 private:
  std::chrono::sys_time<std::chrono::milliseconds> now_;
  Time steady_{std::chrono::hours(1)};
  std::chrono::milliseconds slept_{0};
};

}  // namespace heliostat
