#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/node/device/energy_meter.h"
#include "heliostat/node/level_control/speed_profile.h"
#include "heliostat/node/training_progress/lull.h"
#include "heliostat/node/training_progress/step_rate.h"
#include "heliostat/node/training_run/step_tracker.h"

namespace heliostat::training_run {

// Measures a run: the energy of its GPUs, its steps, the time in which it does something else than stepping, and, while
// its level stands still, how fast it is there. Call Sample() about ten times a second. Not thread-safe.
class RunMeter {
 public:
  using Time = Clock::Time;
  // Told once each: what the user should know.
  using Say = std::function<void(std::string text)>;

  // All that was used and done until a moment.
  struct Mark {
    Time at{};
    Instant wall{};
    std::vector<Joules> energy;  // by GPU
    double steps = 0.0;
    Seconds aside{};  // start-up, evaluation, lulls: what no level changes
    Joules aside_energy{};
  };

  // `gpus` and `clock` outlive it. `grain`: of a speed's pieces; several periods of what holds the program at times.
  RunMeter(std::vector<device::Gpu*> gpus, StepTracker tracker, Seconds grain, const Clock& clock, Say say);

  void Observe(std::string_view bytes) { tracker_.Observe(bytes); }
  void Begin(Time now);
  // `duty`: the share of time in which the program is let run. `is_last` asks the cards' counters, too.
  void Sample(Time now, double duty = 1.0, bool is_last = false);
  const Mark& now() const { return now_; }
  const StepTracker& tracker() const { return tracker_; }
  // Of the time since the first step, how much went aside.
  double aside_share() const;

  // From `from` on the level is this one, and nothing else matters until the next call.
  void BeginStretch(double level, Time from);
  // What happens now does not belong to the level: somebody else has a hand on the card.
  void Spoil() { is_clean_ = false; }
  // What was measured since the last one was taken; nothing while it would be too little, and then it goes on.
  std::optional<level_control::SteadySpell> TakeStretch();
  // The same of whatever there is, marked as teaching nothing.
  level_control::SteadySpell TakeSpoiled();

 private:
  void MeterEnergy(Time now, bool is_last);
  void WatchBusy(double duty);
  void TellSource();
  void SetAside(Time now, Seconds passed, Joules used);

  std::vector<device::Gpu*> gpus_;
  StepTracker tracker_;
  Seconds grain_;
  const Clock& clock_;  // tells the wall's time of a mark
  Say say_;
  std::vector<device::EnergyMeter> meters_;
  Mark now_;
  Time begun_{};
  training_progress::Lull lull_;
  Mark rose_;  // when the count of steps last did
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
