#pragma once

#include <chrono>

#include "heliostat/core/time.h"

namespace heliostat {

// Where "now" comes from. Everything that needs the time takes a Clock, so that
// a test or a simulation can own it. Thread-safe as far as the implementation
// says; both below may be read from several threads.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant Now() const = 0;
  // Waits, or pretends to: a manual clock just moves on.
  virtual void Sleep(std::chrono::milliseconds duration) = 0;
};

// The machine's own clock, UTC.
class SystemClock final : public Clock {
 public:
  Instant Now() const override;
  void Sleep(std::chrono::milliseconds duration) override;
};

// Stands still until told otherwise. Sleep moves it and remembers how long was slept.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Instant now) : now_(now) {}
  Instant Now() const override { return std::chrono::time_point_cast<std::chrono::seconds>(now_); }
  void Sleep(std::chrono::milliseconds duration) override {
    now_ += duration;
    slept_ += duration;
  }
  void Advance(std::chrono::milliseconds duration) { now_ += duration; }
  void Set(Instant now) { now_ = now; }
  std::chrono::milliseconds slept() const { return slept_; }

 private:
  std::chrono::sys_time<std::chrono::milliseconds> now_;
  std::chrono::milliseconds slept_{0};
};

}  // namespace heliostat
