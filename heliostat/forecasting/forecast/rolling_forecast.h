#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/forecasting/forecast/ready_model.h"
#include "heliostat/signals/signal/freshness.h"

namespace heliostat::forecast {

// What a loop knows of a signal at a moment.
struct Latest {
  Instant issued;  // nothing that was measured after it is in the values
  Duration step{};
  std::vector<double> values;  // from the moment's own step on; that one as measured, where it was
  std::vector<Band> bands;     // around what the model said of the steps from `issued` on; none where it said nothing
  std::string answered_by;     // the model; "yesterday" or "present" where none could answer
  signal::Freshness freshness = signal::Freshness::kMeasured;  // of the first value
  Duration age{};                                              // of the newest measured value
};

// A signal as time goes on, forecast at every moment as a live system would: from what was measured until then and
// nothing else. Simulations and live runs forecast with it.
//
// A model is fitted every day while there is less than four weeks of history, when a day more teaches much, and every
// week later; at most 120 days before the start are learned from. Where the model cannot be fitted or does not answer,
// the values are those of the day before, or the present one held. What it answers follows from the moment alone, not
// from what was asked before. Not thread-safe.
class RollingForecast {
 public:
  enum class Fallback { kPresent, kYesterday };

  struct Options {
    std::string model;
    Instant start;               // of the loop, within the series: fits are counted from here
    std::size_t most_steps = 1;  // that are ever asked for beyond a moment's own
    Fallback fallback = Fallback::kPresent;
    signal::FreshnessLimits limits;
  };

  // `measured` may reach beyond the moments that are asked about, as a recorded signal does: a moment's answer does not
  // see further than its own step. Fails where the model is not known or the start is not within the series.
  static Result<RollingForecast> Make(signal::Signal measured, Options options);

  // `count` values, at least 1, from the step of `t` on. From moments after the series' end the forecast goes on.
  Latest From(Instant t, std::size_t count);

  const signal::Signal& measured() const { return measured_; }
  // Why the last fit that was due could not be made; empty when it was.
  const std::string& trouble() const { return trouble_; }
  // How many fits were due so far.
  std::size_t fits() const { return fits_.size(); }

 private:
  RollingForecast(signal::Signal measured, Options options);
  // The step of `t`, or the first or the last there is.
  std::size_t IndexAt(Instant t) const;
  std::optional<History> Until(std::size_t values) const;
  // The model that was fitted last before the step; nothing when nothing could be.
  const ReadyModel* ModelFor(std::size_t index);
  // What is expected of the `count` steps after `index`.
  std::vector<double> Expect(std::size_t index, std::size_t count, Latest& latest);
  double Yesterday(std::size_t index, std::size_t lead) const;

  signal::Signal measured_;
  Options options_;
  std::size_t first_ = 0;                                  // the step of the start
  std::map<std::size_t, std::optional<ReadyModel>> fits_;  // by the number of values known
  std::string trouble_;
};

}  // namespace heliostat::forecast
