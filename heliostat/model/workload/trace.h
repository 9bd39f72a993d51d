#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/io/time_zone.h"
#include "heliostat/model/workload/job_columns.h"

namespace heliostat::workload {

// A job of a trace: when it arrived, how long it ran and on how many GPUs. Only some traces have the rest.
struct TraceJob {
  std::string id;
  Duration submit{};  // since the begin of the trace
  Duration length{};  // with `gpus`, on the GPUs of the trace's cluster
  int gpus = 1;
  std::optional<std::string> model{};  // by its name in the trace
  std::optional<Duration> deadline{};  // since submit
  bool is_best_effort = false;         // marked as best effort in the trace
  Duration wait{};                     // from submit to start; 0 where the trace has no starts
  // Empty where the trace does not have them.
  std::string user{};
  std::string account{};  // also the virtual cluster or the project of its user
  std::string name{};     // as its user named it; several jobs may have the same
  std::string state{};    // how it ended, as the scheduler writes it: "COMPLETED", "TIMEOUT"
  std::optional<Duration> time_limit{};
  friend bool operator==(const TraceJob&, const TraceJob&) = default;
};

// A row of a trace that could not be read.
struct BadRow {
  std::int64_t line = 0;
  std::string why;
  friend bool operator==(const BadRow&, const BadRow&) = default;
};

// A list of jobs in the order of their submission.
struct Trace {
  std::string name;
  std::vector<TraceJob> jobs;
  std::size_t dropped = 0;           // rows without a GPU or without a length
  std::vector<BadRow> skipped{};     // rows that were skipped because of a wrong value
  std::vector<std::string> notes{};  // what the reader assumed, one sentence each

  // From the begin of the trace to the last submission.
  Duration span() const { return jobs.empty() ? Duration{} : jobs.back().submit; }
  double gpu_hours() const;
  friend bool operator==(const Trace&, const Trace&) = default;
};

enum class TraceFormat { kAuto, kPhilly, kChronus, kPollux, kPai, kOurs, kTable };

// By its name, such as "philly" or "auto". Fails with the known names.
Result<TraceFormat> ParseTraceFormat(std::string_view name);

// How to read a trace.
struct TraceOptions {
  TraceFormat format = TraceFormat::kAuto;
  // The columns of the format kTable, which is used if there are any. Fields without one are guessed.
  JobColumns columns{};
  // Of times without an offset. Absent: UTC.
  std::optional<io::TimeZone> time_zone{};
  // Of plain numbers in the column of lengths. Absent: the unit in its name, else seconds.
  std::optional<Duration> length_unit{};
  // The decimal mark of numbers in the format kTable: "point" or "comma". Empty: what they tell.
  std::string decimal{};
  // The order of dates such as 03/04/2024 in the format kTable: "day-first" or "month-first". Empty: what other dates
  // tell, else the month first.
  std::string date_order{};
  // A row with a wrong value is skipped and told in Trace::skipped. Otherwise it is an error.
  bool skips_bad_rows = false;
};

// Reads the jobs of a trace file. With kAuto, the names of the columns determine the format. `name` is used in messages
// and as the name of the trace. Rows without a GPU or without a length are counted and left out; any other wrong value
// is an error with file and line. A trace with dates begins at the midnight before the first submission, so that hours
// of the day stay the same.
//
// Heliostat's own format has the columns id, submit_s (since the begin of the trace), length_s and gpus. Optional
// columns, whose cells may be empty, are model, deadline_s (since submit), best_effort (0 or 1), wait_s, user, account,
// name, state and time_limit_s. Files may have the columns submit and deadline with UTC times instead.
//
// The format kTable is any table with a column of submissions or starts, one of GPUs, and one of lengths or both starts
// and ends. Times are dates, seconds or milliseconds since 1970, or seconds since the begin of the trace.
Result<Trace> ReadTrace(std::string_view text, const std::string& name, const TraceOptions& options);
Result<Trace> ReadTrace(std::string_view text, const std::string& name, TraceFormat format = TraceFormat::kAuto);

// The begin of the span of `length` whose submissions need the most GPU-hours, in whole days since the begin of the
// trace. A job counts with at most the GPU-hours that it can use within the span.
Duration BusiestDay(const Trace& trace, Duration length);

}  // namespace heliostat::workload
