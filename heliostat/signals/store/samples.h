#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "heliostat/base/io/sqlite.h"
#include "heliostat/signals/signal/step_series.h"

namespace heliostat::store {

// A known value that holds over `span`, and the id of the fetch that stored it.
struct Sample {
  Interval span;
  double value = 0;
  std::int64_t fetch = 0;
};

// Measurements and forecasts are in separate tables.
enum class SampleRole { kMeasured, kForecast };

// The table of the known values of one role. A value belongs to an owner: a series, or one run of a forecast. The
// values of one owner never overlap, even if they were written with different steps. Does not begin or commit a
// transaction: the caller does. `database` must outlive it. Not thread-safe.
class SampleTable {
 public:
  SampleTable(io::Database& database, SampleRole role)
      : database_(&database), name_(role == SampleRole::kMeasured ? "measured" : "forecast") {}

  // The known values of `series` replace the stored ones at their times. Missing values replace nothing.
  Status Write(std::int64_t owner, std::int64_t fetch, const signal::StepSeries& series);

  // All values that hold at some time of `interval`, in order of time. kCorrupt for a damaged row.
  Result<std::vector<Sample>> Overlapping(std::int64_t owner, const Interval& interval);

  // The last value that starts before `t`; std::nullopt when there is none.
  Result<std::optional<Sample>> NewestBefore(std::int64_t owner, Instant t);

 private:
  Status Delete(std::int64_t owner, const std::vector<Sample>& samples);
  Status Insert(std::int64_t owner, const std::vector<Sample>& samples);

  io::Database* database_;
  std::string name_;
};

// A series of `samples`, which must be sorted, at their finest common step over `interval`, widened to whole steps.
// Unknown values are missing. std::nullopt when `samples` is empty; kInvalidArgument for more than 2^24 steps.
Result<std::optional<signal::StepSeries>> Assemble(const std::vector<Sample>& samples, const Interval& interval);

// True when both ends are within about 30000 years of 1970, so that arithmetic on them cannot overflow.
bool IsStorable(const Interval& span);

}  // namespace heliostat::store
