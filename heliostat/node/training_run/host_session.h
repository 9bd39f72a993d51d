#pragma once

#include <functional>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/forecasting/live_signal/signal_source.h"
#include "heliostat/node/device/host_energy.h"
#include "heliostat/node/ledger/writer.h"
#include "heliostat/node/process/program.h"
#include "heliostat/node/training_run/step_tracker.h"

namespace heliostat::training_run {

// A program on a machine without a GPU that can be used: measures time, steps, and the energy of processors and memory
// where that can be read. Decides nothing. Used from one thread.
class HostSession {
 public:
  // References must outlive it. `price` may be nullptr.
  HostSession(live_signal::SignalSource& carbon, live_signal::SignalSource* price, StepTracker& tracker,
              ledger::Writer& writer, Result<device::HostEnergy> energy, const Clock& clock);

  // Returns when the program has ended, or when `should_end`, which is called every few seconds, returns true.
  void Follow(process::Program& program, const std::function<bool()>& should_end);

 private:
  void ClosePart();

  live_signal::SignalSource& carbon_;
  live_signal::SignalSource* price_;
  StepTracker& tracker_;
  ledger::Writer& writer_;
  Result<device::HostEnergy> energy_;
  const Clock& clock_;
  Clock::Time part_at_{};
  Instant part_wall_{};
  Joules part_energy_;
  double part_steps_ = 0.0;
};

}  // namespace heliostat::training_run
