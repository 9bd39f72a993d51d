#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/forecasting/forecast/rolling_forecast.h"
#include "heliostat/signals/signal/freshness.h"
#include "heliostat/signals/signal/signal.h"

namespace heliostat::live_signal {

// A signal at the present and ahead, in the unit of its kind: g/kWh, money per kWh, kW. Once it is known, a source
// always returns a value, with its freshness, so that no program waits for a provider. Not thread-safe.
class SignalSource {
 public:
  struct Value {
    double number = 0.0;
    signal::Freshness freshness = signal::Freshness::kMeasured;
    Duration age{0};  // of the newest measured value
  };

  virtual ~SignalSource() = default;
  virtual const std::string& name() const = 0;  // "file de.csv, 60 times as fast"
  // Called once, before the first question.
  virtual void Begin() {}
  // False while no value at all is known; the functions below must not be called then.
  virtual bool is_known() { return true; }
  virtual Value At(Instant now) = 0;
  // Forecast means of `count` slots from `now` on, from values known at `now`.
  virtual std::vector<double> Ahead(Instant now, Duration slot, std::size_t count) = 0;
  // The highest value of the 24 hours before `now`.
  virtual double HighestOfDay(Instant now) = 0;
};

// The source where there is no signal: it never has a value. Not thread-safe.
class NoSignal final : public SignalSource {
 public:
  const std::string& name() const override { return name_; }
  bool is_known() override { return false; }
  Value At(Instant /*now*/) override { return {}; }
  std::vector<double> Ahead(Instant /*now*/, Duration /*slot*/, std::size_t count) override {
    return std::vector<double>(count);
  }
  double HighestOfDay(Instant /*now*/) override { return 0.0; }

 private:
  std::string name_ = "none";
};

// How the time of a run maps to that of a recorded signal.
struct Replay {
  Instant run_start;
  Instant signal_start;  // where the signal is when the run starts
  double speed = 1.0;    // 60: a minute of the run is an hour of the signal

  Instant ToSignal(Instant now) const;
};

// A recorded signal, used only up to the present and forecast from there (forecast::RollingForecast). With too little
// history for `model`, the forecast is the value of the day before. Not thread-safe.
class RecordedSignal final : public SignalSource {
 public:
  // `known`: the freshness of the signal at its source; climatology stays climatology. kInvalidArgument when the signal
  // does not cover the start of the replay.
  static Result<std::unique_ptr<SignalSource>> Make(std::string name, signal::Signal signal, const Replay& replay,
                                                    const std::string& model,
                                                    signal::Freshness known = signal::Freshness::kMeasured);

  const std::string& name() const override { return name_; }
  Value At(Instant now) override;
  std::vector<double> Ahead(Instant now, Duration slot, std::size_t count) override;
  double HighestOfDay(Instant now) override;

 private:
  RecordedSignal(std::string name, forecast::RollingForecast forecast, const Replay& replay, signal::Freshness known)
      : name_(std::move(name)), forecast_(std::move(forecast)), replay_(replay), known_(known) {}

  // Fits the model at the first call, which may take seconds.
  forecast::Latest From(Instant time, std::size_t steps);

  std::string name_;
  forecast::RollingForecast forecast_;
  bool is_trouble_told_ = false;
  Replay replay_;
  signal::Freshness known_;
};

}  // namespace heliostat::live_signal
