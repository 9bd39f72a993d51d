#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/node/device/gpu.h"
#include "heliostat/node/ledger/record.h"

namespace heliostat::training_run {

// How far the program is, from the best available source: steps that it reports, its output, or the counters of the
// GPUs. The count never falls, and continues from its value when a better source begins. Not thread-safe.
class StepTracker {
 public:
  using Time = Clock::Time;

  // `regex`: see LineMeter::WithPattern(); may be empty. `clock` must outlive it. Without a place for the step file the
  // program's reports are not seen, and a warning is logged.
  static Result<StepTracker> Make(const std::string& regex, const Environment& environment, const Clock& clock);
  StepTracker(StepTracker&&) noexcept;
  StepTracker& operator=(StepTracker&&) noexcept;
  ~StepTracker();

  // The path of the step file, which the program gets in HELIOSTAT_STEPS. Empty without one.
  std::string steps_path() const;
  // `bytes`: output of the program.
  void Observe(std::string_view bytes);
  // Reads all sources.
  void Poll(Time now, const std::vector<device::Gpu*>& gpus);

  double steps() const;
  // What the program itself counts, from its start; absent when progress is known from counters alone or not at all. It
  // may be more than steps(), which counts on from an estimate.
  std::optional<double> done() const;
  std::optional<double> total() const;
  ledger::ProgressSource source() const;
  // True while the program does what no level changes: it evaluates, or waits.
  bool is_aside() const;
  // The source, for messages: "its output (tqdm)"; empty without a source.
  std::string how() const;

 private:
  struct Sources;
  explicit StepTracker(std::unique_ptr<Sources> sources);
  std::unique_ptr<Sources> sources_;
};

}  // namespace heliostat::training_run
