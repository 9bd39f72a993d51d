#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heliostat/core/time.h"
#include "heliostat/forecast/history.h"
#include "heliostat/forecast/ready_model.h"
#include "heliostat/ledger/record.h"
#include "heliostat/signal/signal.h"

namespace heliostat::live {

// What a kilowatt-hour costs, in grams or money, as a run meets it. A source always answers, and says how good its
// answer is: training does not wait for a feed.
class SignalSource {
 public:
  struct Value {
    double per_kwh = 0.0;
    ledger::Freshness freshness = ledger::Freshness::kMeasured;
    Duration age{0};  // of the newest that was measured
  };

  virtual ~SignalSource() = default;
  virtual const std::string& name() const = 0;  // "file de.csv, 60 times as fast"
  virtual Value At(Instant now) = 0;
  // Means of `count` slots from `now` on, forecast from what was known before.
  virtual std::vector<double> Ahead(Instant now, Duration slot, std::size_t count) = 0;
  // The highest value of the 24 hours before.
  virtual double HighestOfDay(Instant now) = 0;
};

// How the time of a run maps to that of a recorded signal.
struct Replay {
  Instant run_start;
  Instant signal_start;  // where the signal is when the run starts
  double speed = 1.0;    // 60: a minute of the run is an hour of the signal

  Instant ToSignal(Instant now) const;
};

// A recorded signal, seen only up to the present. Forecast by `model`, or as it was a day before where there is too
// little history for that.
class RecordedSignal final : public SignalSource {
 public:
  static Result<std::unique_ptr<SignalSource>> Make(std::string name, signal::Signal signal, const Replay& replay,
                                                    const std::string& model);

  const std::string& name() const override { return name_; }
  Value At(Instant now) override;
  std::vector<double> Ahead(Instant now, Duration slot, std::size_t count) override;
  double HighestOfDay(Instant now) override;

 private:
  RecordedSignal(std::string name, signal::Signal signal, const Replay& replay)
      : name_(std::move(name)), signal_(std::move(signal)), replay_(replay) {}
  std::vector<double> Steps(Instant t, std::size_t count);
  std::size_t IndexAt(Instant t) const;

  std::string name_;
  signal::Signal signal_;
  Replay replay_;
  std::optional<forecast::ReadyModel> model_;
};

}  // namespace heliostat::live
