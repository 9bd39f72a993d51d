#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/node/device/energy_meter.h"
#include "heliostat/node/level_control/speed_profile.h"
#include "heliostat/node/training_progress/lull.h"
#include "heliostat/node/training_progress/step_rate.h"
#include "heliostat/node/training_run/gpu_share.h"
#include "heliostat/node/training_run/step_tracker.h"

namespace heliostat::training_run {

// Measures a run: the energy of its GPUs, its steps, the time in which it does not step, and its speed at each level.
// Call Sample() about ten times per second. Not thread-safe.
class RunMeter {
 public:
  using Time = Clock::Time;
  // Receives messages for the user, each once.
  using Say = std::function<void(std::string text)>;

  // Totals since Begin() up to a moment.
  struct Mark {
    Time at{};
    Instant wall{};
    std::vector<Joules> energy;  // by GPU: the part of this program
    std::vector<Joules> others;  // by GPU: the part of other programs; both together are the card's energy
    double steps = 0.0;
    Seconds aside{};  // time that no level changes: start-up, evaluation, lulls
    Joules aside_energy{};
  };

  // `gpus` and `clock` must outlive it. `grain`: see StepRate; several periods for a paced program.
  RunMeter(std::vector<device::Gpu*> gpus, StepTracker tracker, Seconds grain, const Clock& clock, Say say);

  // With it, the energy of a GPU that other programs use too is split: see GpuShareOf().
  void SetOwnProcesses(OwnProcesses own) { own_ = std::move(own); }
  // True while other programs use a GPU of this run.
  bool is_shared() const;

  void Observe(std::string_view bytes) { tracker_.Observe(bytes); }
  void Begin(Time now);
  // `duty`: the share of time in which the program is not held. `is_last`: reads the energy counters too.
  void Sample(Time now, double duty = 1.0, bool is_last = false);
  const Mark& now() const { return now_; }
  const StepTracker& tracker() const { return tracker_; }
  // Share of the time since the first step that went aside, 0 to 1.
  double aside_share() const;

  // Starts a stretch: from `from` on the knob stands at `level`.
  void BeginStretch(double level, Time from);
  // Marks the stretch as not clean, because another program has turned the knob.
  void Spoil() { is_clean_ = false; }
  // Takes the measurement since the last one. Absent while there is too little of it; the stretch then goes on.
  std::optional<level_control::SteadySpell> TakeStretch();
  // Takes what there is, marked as not clean.
  level_control::SteadySpell TakeSpoiled();

 private:
  void MeterEnergy(Time now, bool is_last);
  void ReportInstances();
  void LookAtProcesses(Time now);
  void ReportShare(std::size_t gpu, const GpuShare& share);
  void WatchBusy(double duty);
  void ReportSource();
  void SetAside(Time now, Seconds passed, Joules used);

  std::vector<device::Gpu*> gpus_;
  StepTracker tracker_;
  Seconds grain_;
  const Clock& clock_;  // for the wall time of marks
  Say say_;
  std::vector<device::EnergyMeter> meters_;
  OwnProcesses own_;
  std::vector<pid_t> own_now_;    // as of the last change of `present_`
  std::set<pid_t> present_;       // processes on the GPUs
  std::vector<GpuShare> shares_;  // by GPU
  std::vector<bool> is_share_told_;
  std::vector<Joules> metered_;  // by GPU, of the whole card
  Time looked_at_{};
  Mark now_;
  Time begun_{};
  training_progress::Lull lull_;
  Mark rose_;  // when the count of steps last rose
  std::optional<Mark> first_step_;
  ledger::ProgressSource told_source_ = ledger::ProgressSource::kNone;
  std::string told_trouble_;

  double level_ = 0.0;
  Time stretch_from_{};
  Mark stretch_begin_;
  training_progress::StepRate rate_;
  bool is_clean_ = true;
  double busy_ = 0.0;  // sum over samples of the share of time in which GPUs worked while the program was let run
  int busy_samples_ = 0;
  bool is_input_told_ = false;
};

}  // namespace heliostat::training_run
