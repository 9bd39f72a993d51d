#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/control/cluster/job.h"

// Single values as Slurm's commands print them. Internal to this layer.
namespace heliostat::cluster {

// The text, or nothing for the ways in which Slurm says that there is none: "", "(null)", "N/A", "n/a", "NONE", "None".
std::string_view Present(std::string_view cell);

// The value of "Key=value" up to the next blank. The first of that key counts: what people write (reasons, comments)
// stands behind all that is read of a line.
std::string_view ValueOf(std::string_view line, std::string_view key);

// The parts between commas; none of an absent cell.
std::vector<std::string> ParseList(std::string_view cell);

// A whole number of up to eighteen digits.
std::optional<std::int64_t> ParseWhole(std::string_view cell);

// Seconds since 1970, which commands print under SLURM_TIME_FORMAT=%s; nothing for an absent time, and for 0.
std::optional<Instant> ParseEpoch(std::string_view cell);

// "10:00", "1:02:03", "2-00:00:00", "2-12"; nothing for "UNLIMITED", "INVALID", "NOT_SET" and any other text.
std::optional<Duration> ParseLimit(std::string_view cell);

// "60 sec", "15 min", "INFINITE", "00:05:00": a time in the configuration.
std::optional<Duration> ParseConfiguredTime(std::string_view value);

// "17", "17_3", "17+1" (heterogeneous: number of the leader and offset).
struct JobNumber {
  std::int64_t number = 0;
  std::optional<int> element;
  std::optional<int> het_offset;
  friend bool operator==(const JobNumber&, const JobNumber&) = default;
};
std::optional<JobNumber> ParseJobNumber(std::string_view cell);

// The state of a job by Slurm's word for it, such as "PENDING" or "CANCELLED by 1000". Only ended ones have an end.
struct WrittenState {
  JobState state = JobState::kUnknown;
  std::optional<JobEnd> end;
};
WrittenState ParseState(std::string_view cell);

// "afterok:17(unfulfilled),afterany:18_*(unfulfilled)" as "afterok:17", "afterany:18_*". Also separated by "?".
std::vector<std::string> ParseDependencies(std::string_view cell);

// Rows of cells, of which each, the last too, is followed by `separator`, and each row by a line end. A separator that
// no user can know keeps apart what users wrote into their own cells, line ends included. kCorrupt for a text that
// breaks off within a row. `columns` is above zero.
class RowReader {
 public:
  RowReader(std::string_view text, std::string_view separator, std::size_t columns)
      : text_(text), separator_(separator), columns_(columns) {}
  // The next row, valid until the next call. Nothing at the end.
  Result<const std::vector<std::string_view>*> Next();

 private:
  std::string_view text_;
  std::string_view separator_;
  std::size_t columns_;
  std::size_t number_ = 0;
  std::vector<std::string_view> row_;
};
// All of them.
using Rows = std::vector<std::vector<std::string_view>>;
Result<Rows> SplitRows(std::string_view text, std::string_view separator, std::size_t columns);

}  // namespace heliostat::cluster
