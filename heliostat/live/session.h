#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "heliostat/chase/controller.h"
#include "heliostat/device/energy_meter.h"
#include "heliostat/ledger/writer.h"
#include "heliostat/live/hand.h"
#include "heliostat/live/run.h"
#include "heliostat/live/tracker.h"

namespace heliostat::live {

// One program under Chase, from its start to its end: every period forecast, choose, turn, and charge what was used.
// One thread; the program's output is passed on between two turns of the loop.
class Session {
 public:
  // All outlive it.
  struct Parts {
    const RunOptions* options;
    SignalSource* carbon;
    SignalSource* price;  // may be null
    std::vector<device::Gpu*> gpus;
    Hand* hand;
  };
  Session(Parts parts, chase::Controller controller, ledger::Writer writer, Tracker tracker);

  // Until the program has ended and everything is as it was.
  void Follow(launch::Child& child);
  const chase::Controller& controller() const { return controller_; }
  ledger::Writer& writer() { return writer_; }
  // What the program writes.
  void Observe(std::string_view bytes) { tracker_.Observe(bytes); }

 private:
  using Steady = std::chrono::steady_clock;
  using Time = Steady::time_point;

  // What has been used since some moment.
  struct Mark {
    Time at{};
    Instant wall{};
    std::vector<Joules> energy;
    double steps = 0.0;
    Seconds aside{};
    Joules aside_energy{};
  };

  void Tick(Time now, launch::Child& child);
  void Sample(Time now, bool is_last);
  void Decide(Time now);
  void Turn(const chase::Decision& decision);
  bool IsJump();
  chase::Situation SituationAt(Time now) const;
  double CostNow() const;
  std::vector<chase::Slot> Ahead() const;
  Mark MarkAt(Time now) const;
  // Puts what was used since the last part on record.
  void ClosePart(Time now);
  void CloseStretch(Time now);
  void Predict(ledger::Period& period) const;
  void Note(std::string text);

  Parts parts_;
  chase::Controller controller_;
  ledger::Writer writer_;
  Tracker tracker_;
  std::vector<device::EnergyMeter> meters_;
  std::vector<double> levels_;

  Time begun_;
  Time sample_at_{};
  Time decide_at_{};
  Time jump_at_{};
  Time settled_at_{};  // when the last change of level has had its effect
  Mark part_;
  Mark stretch_;
  bool is_stretch_open_ = false;
  bool is_stretch_clean_ = true;
  std::vector<chase::Stretch> stretches_;
  chase::Decision decision_;
  std::int64_t decisions_ = 0;
  std::optional<double> forecast_;
  std::string last_trouble_;
  ledger::Freshness last_freshness_ = ledger::Freshness::kMeasured;
  ledger::Progress last_source_ = ledger::Progress::kNone;
  Seconds aside_{};
  Joules aside_energy_{};
};

}  // namespace heliostat::live
