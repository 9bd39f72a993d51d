#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "heliostat/base/core/testing/data_folder.h"
#include "heliostat/forecasting/forecast/history.h"
#include "heliostat/forecasting/regression/testing/chase_values.h"

namespace heliostat::forecast::testing {

inline History HistoryOf(Instant start, Duration step, std::vector<double> values) {
  return {{"signal", {}, *signal::StepSeries::Make(start, step, std::move(values))}, {}, {}};
}

// One value per step, from the number of the step.
inline History HistoryOf(Instant start, Duration step, std::size_t count,
                         const std::function<double(std::size_t)>& value) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(value(i));
  return HistoryOf(start, step, std::move(values));
}

// The intensity of the evaluation of Chase; std::nullopt when the public traces are absent.
inline std::optional<History> ChaseTrace() {
  auto trace = regression::testing::ReadChaseValues();
  if (!trace) return std::nullopt;
  return HistoryOf(trace->start, std::chrono::minutes{30}, std::move(trace->values));
}

}  // namespace heliostat::forecast::testing
