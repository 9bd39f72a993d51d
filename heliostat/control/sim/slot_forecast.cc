#include "heliostat/control/sim/slot_forecast.h"

#include <algorithm>

#include "heliostat/base/core/check.h"

namespace heliostat::sim {

forecast::RollingForecast SlotForecast(const scenario::Scenario& scenario,
                                       const std::optional<signal::StepSeries>& past, const std::vector<double>& truth,
                                       signal::Kind kind, const std::string& model) {
  const Duration step = scenario.step;
  Instant start = scenario.start;
  std::vector<double> values;
  if (past && past->start() < scenario.start) {
    const std::int64_t slots = (scenario.start - past->start()) / step;
    start = scenario.start - step * slots;
    for (std::int64_t i = 0; i < slots; ++i) {
      const Instant begin = start + step * i;
      const auto mean = past->Mean({begin, begin + step});
      values.push_back(mean ? *mean : signal::Missing());
    }
  }
  values.insert(values.end(), truth.begin(), truth.end());
  signal::Meaning meaning;
  meaning.kind = kind;
  meaning.nature = signal::Nature::kMeasured;
  if (kind == signal::Kind::kPrice) meaning.currency = scenario.currency;
  auto series = signal::StepSeries::Make(start, step, std::move(values));
  Check(series.has_value(), "the slots of the scenario do not form a series");
  const auto week = static_cast<std::size_t>(std::max<std::int64_t>(1, std::chrono::days{7} / step));
  forecast::RollingForecast::Options options;
  options.model = model;
  options.start = scenario.start;
  options.most_steps = std::min(week, scenario.slots);
  auto rolling = forecast::RollingForecast::Make({"signal", meaning, std::move(*series)}, std::move(options));
  Check(rolling.has_value(), "the signal of the scenario cannot be forecast");
  return std::move(*rolling);
}

}  // namespace heliostat::sim
