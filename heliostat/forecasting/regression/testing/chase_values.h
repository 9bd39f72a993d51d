#pragma once

#include <optional>
#include <vector>

#include "heliostat/base/core/testing/data_folder.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/io/csv.h"
#include "heliostat/base/io/file.h"

namespace heliostat::regression::testing {

// The half-hourly intensity of the evaluation of Chase.
struct ChaseValues {
  Instant start;
  std::vector<double> values;
};

// std::nullopt when the public traces are absent.
inline std::optional<ChaseValues> ReadChaseValues() {
  const auto text = io::ReadFile((heliostat::testing::DataFolder() / "carbon/chase/carbon_hist.csv").string());
  if (!text) return std::nullopt;
  io::CsvReader csv(*text, "carbon_hist.csv");
  ChaseValues trace;
  csv.NextRow();  // location,timestamp,duration,value,hist
  while (csv.NextRow()) {
    if (trace.values.empty()) trace.start = *ParseInstant(csv.cell(1), "timestamp");
    csv.ReadNumber(4, trace.values.emplace_back());
  }
  return trace;
}

}  // namespace heliostat::regression::testing
