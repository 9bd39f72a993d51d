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

// One program under Chase, from its start to its end: every period forecast, choose, turn, and charge what was used.
// One thread; the program's output is passed on between two turns of the loop.
class TrainingSession {
 public:
  // All outlive it.
  struct Parts {
    const RunOptions* options;
    SignalSource* carbon;
    SignalSource* price;  // may be null
    std::vector<device::Gpu*> gpus;
    KnobActuator* actuator;
    const Clock* clock;
  };
  TrainingSession(Parts parts, level_control::Controller controller, ledger::Writer writer, StepTracker tracker);

  TrainingSession(const TrainingSession&) = delete;
  TrainingSession& operator=(const TrainingSession&) = delete;

  // Until the program has ended and everything is as it was.
  void Follow(process::Program& program);
  const level_control::Controller& controller() const { return controller_; }
  ledger::Writer& writer() { return writer_; }
  // What the program writes.
  void Observe(std::string_view bytes) { meter_.Observe(bytes); }

 private:
  using Time = Clock::Time;

  void Tick(Time now);
  void Decide(Time now);
  void Turn(Time now, level_control::LevelDecision decision);
  // Puts what was measured at the present level where the next decision finds it.
  void CloseStretch(Time now);
  void TellDrift();
  bool IsJump(Time now);
  void WatchHand(Time now);
  level_control::Situation SituationAt(Time now) const;
  double CostNow() const;
  std::vector<level_control::Slot> Ahead() const;
  // Puts what was used since the last part on record.
  void ClosePart();
  void Predict(ledger::Period& period) const;
  void TellFreshness(const SignalSource::Value& value);
  void Note(std::string text);

  Parts parts_;
  level_control::Controller controller_;
  ledger::Writer writer_;
  RunMeter meter_;
  std::vector<double> levels_;

  Time begun_;
  Time sample_at_{};
  Time decide_at_{};
  Time jump_at_{};
  Time look_at_{};    // at the hand
  Time turned_at_{};  // when the level last changed
  RunMeter::Mark part_;
  std::vector<level_control::SteadySpell> stretches_;
  level_control::LevelDecision decision_;
  std::int64_t decisions_ = 0;
  std::optional<double> forecast_;
  bool is_turned_ = true;    // false: the card does not stand where the decision wants it
  bool is_refused_ = false;  // the last turn failed
  int drifts_ = 0;
  std::string last_trouble_;
  signal::Freshness told_freshness_ = signal::Freshness::kMeasured;
};

}  // namespace heliostat::training_run
