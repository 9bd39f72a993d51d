#pragma once

#include <chrono>
#include <optional>

#include "heliostat/node/device/gpu.h"

namespace heliostat::device {

// The energy that one GPU has used since the first sample. It combines power readings, which are cheap and frequent,
// with the card's energy counter, which is read seldom because some drivers take milliseconds for it. Without a counter
// it integrates power by the trapezoidal rule. The caller supplies the time: monotone, from any origin. Not
// thread-safe.
class EnergyMeter {
 public:
  using Time = std::chrono::nanoseconds;

  // Reads the counter at most once per `counter_every`, and on the last sample.
  explicit EnergyMeter(Time counter_every = std::chrono::seconds(10)) : counter_every_(counter_every) {}

  // Takes one sample: reads power, and the counter when it is due or `is_last`. When a reading fails, returns the
  // error; the next sample covers the gap. kUnsupported when the card does not report power. A counter that starts
  // again at 0 (a reloaded driver) does not reduce the energy.
  Status Sample(Gpu& gpu, Time now, bool is_last = false);

  // From the counter up to its last reading and from power since then; from power alone without a counter.
  Joules energy() const;
  // From power alone, for comparison.
  Joules integrated() const { return integrated_; }
  // Up to the last reading of the counter; absent without a counter.
  std::optional<Joules> counted() const;
  // From the first sample to the last.
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
