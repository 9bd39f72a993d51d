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

// How far the program is, from the best that tells: steps that it reports, its output, or the GPUs' counters alone. The
// count never falls, and goes on from where it was when a better source begins to tell. Not thread-safe.
class StepTracker {
 public:
  using Time = Clock::Time;

  // `regex` may be empty. `clock` outlives it.
  static Result<StepTracker> Make(const std::string& regex, const Environment& environment, const Clock& clock);
  StepTracker(StepTracker&&) noexcept;
  StepTracker& operator=(StepTracker&&) noexcept;
  ~StepTracker();

  // What the program finds its step file by: HELIOSTAT_STEPS.
  std::string steps_path() const;
  void Observe(std::string_view bytes);
  void Poll(Time now, const std::vector<device::Gpu*>& gpus);

  double steps() const;
  std::optional<double> total() const;
  ledger::ProgressSource source() const;
  // The program is at something that no setting changes: it evaluates, or waits.
  bool is_aside() const;
  // "tqdm on its output": for people; empty while nothing tells.
  std::string how() const;

 private:
  struct Sources;
  explicit StepTracker(std::unique_ptr<Sources> sources);
  std::unique_ptr<Sources> sources_;
};

}  // namespace heliostat::training_run
