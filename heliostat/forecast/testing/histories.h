#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "heliostat/core/testing/data_folder.h"
#include "heliostat/forecast/history.h"
#include "heliostat/io/csv.h"
#include "heliostat/io/file.h"

namespace heliostat::forecast::testing {

inline History HistoryOf(Instant start, Duration step, std::vector<double> values) {
  return {{"signal", {}, *signal::StepSeries::Make(start, step, std::move(values))}, {}, {}};
}

// A value for each of `count` steps, from the number of the step.
inline History HistoryOf(Instant start, Duration step, std::size_t count,
                         const std::function<double(std::size_t)>& value) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(value(i));
  return HistoryOf(start, step, std::move(values));
}

// The intensity that Chase's own evaluation used, half-hourly; nothing when the
// public traces are absent.
inline std::optional<History> ChaseTrace() {
  const auto text = io::ReadFile((heliostat::testing::DataFolder() / "carbon/chase/carbon_hist.csv").string());
  if (!text) return std::nullopt;
  io::CsvReader csv(*text, "carbon_hist.csv");
  std::optional<Instant> start;
  std::vector<double> values;
  csv.NextRow();  // location,timestamp,duration,value,hist
  while (csv.NextRow()) {
    if (!start) start = *ParseInstant(csv.cell(1), "timestamp");
    csv.ReadNumber(4, values.emplace_back());
  }
  return HistoryOf(*start, std::chrono::minutes{30}, std::move(values));
}

}  // namespace heliostat::forecast::testing
