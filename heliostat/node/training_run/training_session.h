#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "heliostat/node/ledger/writer.h"
#include "heliostat/node/level_control/controller.h"
#include "heliostat/node/training_run/knob_actuator.h"
#include "heliostat/node/training_run/run.h"
#include "heliostat/node/training_run/run_meter.h"

namespace heliostat::training_run {

// One program under Chase, from its start to its end. Each period it forecasts, chooses a level, turns the knob, and
// charges what was used. Until a signal is known, the program runs at its default. Calls may wait for the driver, the
// agent or a disk; the program does not wait with them. Used from one thread.
class TrainingSession {
 public:
  // Pointers must outlive the session.
  struct Parts {
    const RunOptions* options;
    live_signal::SignalSource* carbon;
    live_signal::SignalSource* price;  // may be nullptr
    std::vector<device::Gpu*> gpus;
    KnobActuator* actuator;
    const Clock* clock;
    OwnProcesses own_processes{};  // may be empty: GPUs count as this program's alone
  };
  TrainingSession(Parts parts, level_control::Controller controller, ledger::Writer writer, StepTracker tracker);

  TrainingSession(const TrainingSession&) = delete;
  TrainingSession& operator=(const TrainingSession&) = delete;

  // Returns when the program has ended and the knob is put back.
  void Follow(process::Program& program);
  const level_control::Controller& controller() const { return controller_; }
  ledger::Writer& writer() { return writer_; }
  // The program's own count of steps; absent without one.
  std::optional<double> steps_done() const { return meter_.tracker().done(); }
  // Writes a message for the user to the log and the ledger.
  void Note(std::string text);

 private:
  using Time = Clock::Time;

  void Tick(Time now);
  void Decide(Time now);
  void Turn(Time now, level_control::LevelDecision decision);
  // Keeps the measurement at the present level for the next decision.
  void CloseStretch(Time now);
  void ReportDrift();
  bool IsJump(Time now);
  void WatchActuator(Time now);
  level_control::Situation SituationAt(Time now) const;
  double CostNow() const;
  double HighestCost() const;
  std::vector<level_control::Slot> Ahead() const;
  // Writes a part of the period, since the last part, to the ledger.
  void ClosePart();
  void Predict(ledger::Period& period) const;
  void ReportFreshness(const live_signal::SignalSource::Value& value);
  bool KnowsSignals();

  Parts parts_;
  level_control::Controller controller_;
  ledger::Writer writer_;
  RunMeter meter_;
  std::vector<double> levels_;

  Time begun_;
  Time sample_at_{};
  Time decide_at_{};
  Time jump_at_{};
  Time look_at_{};    // when to check the actuator
  Time turned_at_{};  // when the level last changed
  RunMeter::Mark part_;
  std::vector<level_control::SteadySpell> stretches_;
  level_control::LevelDecision decision_;
  std::int64_t decisions_ = 0;
  std::optional<double> shadow_level_;  // that a shadow would have set
  std::optional<double> forecast_;
  bool has_signals_ = false;
  bool is_ignorance_told_ = false;
  bool is_turned_ = true;    // false: the card does not stand at the level of the decision
  bool is_refused_ = false;  // the last turn failed
  int drifts_ = 0;
  std::string last_trouble_;
  signal::Freshness told_freshness_ = signal::Freshness::kMeasured;
};

}  // namespace heliostat::training_run
