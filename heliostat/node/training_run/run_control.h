#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "heliostat/node/gpu_access/gpus.h"
#include "heliostat/node/ledger/writer.h"
#include "heliostat/node/process/program.h"
#include "heliostat/node/training_run/knob_actuator.h"
#include "heliostat/node/training_run/run.h"
#include "heliostat/node/training_run/step_tracker.h"

namespace heliostat::training_run {

// kInvalidArgument for options that no machine accepts.
Status CheckOptions(const RunOptions& options);

// Controls a running program: finds its GPUs, turns their knob, keeps the ledger. Every call may wait for a driver, an
// agent, a disk or a network, so it belongs to a thread of its own. What is missing is told, and looked for again as
// long as the program runs; meanwhile the program runs at its default. Used from one thread.
class RunControl {
 public:
  // All must outlive it; `price` may be nullptr.
  RunControl(const RunOptions& options, live_signal::SignalSource& carbon, live_signal::SignalSource* price,
             const Environment& environment, const Clock& clock, StepTracker tracker);

  // Returns when the program has ended and its GPUs are put back: the records of the run. Absent when nothing could be
  // measured.
  std::optional<ledger::Run> Follow(process::Program& program);

 private:
  // Looks for GPUs. kNotFound when the machine has none, kInvalidArgument when it has others than those named.
  Result<gpu_access::Gpus> FindGpus(std::vector<device::Gpu*>& chosen) const;
  // Measures the machine until the program ends, or GPUs are found.
  std::optional<ledger::Run> FollowWithoutGpus(process::Program& program, const std::function<bool()>& has_gpus);
  // Controls the program on these GPUs until it ends.
  std::optional<ledger::Run> FollowOn(const gpu_access::Gpus& all, const std::vector<device::Gpu*>& gpus,
                                      process::Program& program);
  std::unique_ptr<KnobActuator> MakeActuator(const gpu_access::Gpus& all, const std::vector<device::Gpu*>& gpus,
                                             process::Program& program) const;
  Result<ledger::Writer> OpenLedger(const std::vector<device::Gpu*>& gpus, double default_level,
                                    const std::string& key) const;

  RunOptions options_;
  live_signal::SignalSource& carbon_;
  live_signal::SignalSource* price_;
  const Environment& environment_;
  const Clock& clock_;
  StepTracker tracker_;
};

}  // namespace heliostat::training_run
