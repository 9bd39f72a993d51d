#pragma once

#include <chrono>
#include <optional>

#include "heliostat/node/device/gpu.h"

namespace heliostat::device {

// The energy that one GPU took since the meter was made, from readings that somebody takes often (power, microseconds)
// and the card's counter, asked seldom because some drivers take milliseconds for it. Without a counter, power is
// integrated, each reading standing for the time around it. Time is the caller's: monotone, from any origin.
class EnergyMeter {
 public:
  using Time = std::chrono::nanoseconds;

  // The counter is asked at most once in `counter_every`.
  explicit EnergyMeter(Time counter_every = std::chrono::seconds(10)) : counter_every_(counter_every) {}

  // One sample: reads power, and the counter when it is due or `is_last`. A reading that fails is told and leaves a gap
  // that the next one closes; a counter that starts anew (a reload) does not count backwards.
  Status Sample(Gpu& gpu, Time now, bool is_last = false);

  // By the counter up to its last reading and by power since; by power alone where there is no counter.
  Joules energy() const;
  // The same from power alone, for comparison; and from the counter alone where there is one.
  Joules integrated() const { return integrated_; }
  std::optional<Joules> counted() const;
  Time covered() const;
  int samples() const { return samples_; }

 private:
  Time counter_every_;
  std::optional<Time> first_;
  std::optional<Time> last_;
  Watts last_power_;
  Joules integrated_;
  Joules counted_;
  Joules since_counter_;  // by power
  std::optional<Joules> last_count_;
  std::optional<Time> last_counted_at_;
  int samples_ = 0;
};

}  // namespace heliostat::device
