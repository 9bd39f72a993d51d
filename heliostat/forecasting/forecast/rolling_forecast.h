#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/forecasting/forecast/ready_model.h"
#include "heliostat/signals/signal/freshness.h"

namespace heliostat::forecast {

// A signal as known at one moment: measured values and forecast.
struct Latest {
  Instant issued;  // the values contain nothing measured after it
  Duration step{};
  std::vector<double> values;  // from the step of the moment on; that one measured, if it was
  std::vector<Band> bands;     // around the forecast of the steps from `issued` on; empty without a model
  std::string answered_by;     // the model; "yesterday" or "present" if none could answer
  signal::Freshness freshness = signal::Freshness::kMeasured;  // of the first value
  Duration age{};                                              // of the newest measured value
};

// Forecasts of one signal as time goes on. At every moment it forecasts as a live system would, from the values
// measured until then only. Simulations and live runs use it.
//
// It fits the model every day while there are less than four weeks of history, because each day then adds much, and
// every week later. It uses at most 120 days before the start. If the model cannot be fitted or does not answer, the
// values are those of the day before or the present value. The answer depends on the moment alone, not on earlier
// calls. Not thread-safe.
class RollingForecast {
 public:
  // What replaces the model: the present value, or the values of the day before.
  enum class Fallback { kPresent, kYesterday };

  struct Options {
    std::string model;
    Instant start;               // of the loop, inside the series; fits are counted from here
    std::size_t most_steps = 1;  // the largest number of steps after the step of the moment
    Fallback fallback = Fallback::kPresent;
    signal::FreshnessLimits limits;
  };

  // `measured` may extend beyond the requested moments, as a recorded signal does: an answer uses nothing after the
  // step of its moment. kNotFound for an unknown model, kInvalidArgument when the start is not inside the series.
  static Result<RollingForecast> Make(signal::Signal measured, Options options);

  // `count` values, at least 1, from the step of `t` on. After the end of the series the forecast continues.
  Latest From(Instant t, std::size_t count);

  const signal::Signal& measured() const { return measured_; }
  // Why the last due fit failed; empty when it succeeded.
  const std::string& trouble() const { return trouble_; }
  // The number of fits that were due so far.
  std::size_t fits() const { return fits_.size(); }

 private:
  RollingForecast(signal::Signal measured, Options options);
  // The index of the step of `t`, limited to the series.
  std::size_t IndexAt(Instant t) const;
  std::optional<History> Until(std::size_t values) const;
  // The model of the last fit before the step; nullptr when it could not be fitted.
  const ReadyModel* ModelFor(std::size_t index);
  // The expected values of the `count` steps after `index`.
  std::vector<double> Expect(std::size_t index, std::size_t count, Latest& latest);
  double Yesterday(std::size_t index, std::size_t lead) const;

  signal::Signal measured_;
  Options options_;
  std::size_t first_ = 0;                                  // index of the start
  std::map<std::size_t, std::optional<ReadyModel>> fits_;  // by the number of known values
  std::string trouble_;
};

}  // namespace heliostat::forecast
