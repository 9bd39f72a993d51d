#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "heliostat/base/io/sqlite.h"
#include "heliostat/signals/signal/step_series.h"

namespace heliostat::store {

// A known value that holds over `span`, and the fetch that brought it.
struct Sample {
  Interval span;
  double value = 0;
  std::int64_t fetch = 0;
};

// Measurements and forecasts never share a table.
enum class SampleRole { kMeasured, kForecast };

// The known values of one role. They belong to an owner (a series, or one run of
// a forecast), and those of one owner never overlap, whatever steps they were
// written with. Works inside the caller's transaction.
class SampleTable {
 public:
  SampleTable(io::Database& database, SampleRole role)
      : database_(&database), name_(role == SampleRole::kMeasured ? "measured" : "forecast") {}

  // The known values of `series` replace what was there at their times. Missing ones replace nothing.
  Status Write(std::int64_t owner, std::int64_t fetch, const signal::StepSeries& series);

  // All values that hold at some time of `interval`, in order.
  Result<std::vector<Sample>> Overlapping(std::int64_t owner, const Interval& interval);

  // The last value that starts before `t`.
  Result<std::optional<Sample>> NewestBefore(std::int64_t owner, Instant t);

 private:
  Status Delete(std::int64_t owner, const std::vector<Sample>& samples);
  Status Insert(std::int64_t owner, const std::vector<Sample>& samples);

  io::Database* database_;
  std::string name_;
};

// The samples on their finest common step over `interval`, which is widened to
// whole steps; what is not known is missing. Nothing when there are no samples.
Result<std::optional<signal::StepSeries>> Assemble(const std::vector<Sample>& samples, const Interval& interval);

// Whether times are such that no arithmetic on them overflows: within 30000 years of 1970.
bool IsStorable(const Interval& span);

}  // namespace heliostat::store
