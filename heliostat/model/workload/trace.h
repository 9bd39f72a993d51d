#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"

namespace heliostat::workload {

// A job as a trace tells of it: when it came, how long it ran and on how many GPUs. What it trained, and by when it had
// to be done, only some traces say.
struct TraceJob {
  std::string id;
  Duration submit{};  // since the trace began
  Duration length{};  // at `gpus`, on whatever GPUs the trace's cluster had
  int gpus = 1;
  std::optional<std::string> model{};  // as the trace names it
  std::optional<Duration> deadline{};  // since submit
  bool is_best_effort = false;         // the trace itself says that nobody waits for it
  friend bool operator==(const TraceJob&, const TraceJob&) = default;
};

// Jobs in the order of their submission.
struct Trace {
  std::string name;
  std::vector<TraceJob> jobs;
  std::size_t dropped = 0;  // rows that ask for no GPU or ran for no time

  // From the first moment of the trace until the last submission.
  Duration span() const { return jobs.empty() ? Duration{} : jobs.back().submit; }
  double gpu_hours() const;
  friend bool operator==(const Trace&, const Trace&) = default;
};

enum class TraceFormat { kAuto, kPhilly, kChronus, kPollux, kPai, kOurs };

// By name: "philly", "auto".
Result<TraceFormat> ParseTraceFormat(std::string_view name);

// The jobs of a trace file. Formats are told apart by the names of their columns. `name` is for messages and the
// trace's name. Rows without a GPU or without a length are counted and left out; anything else that cannot be is an
// error with file and line. A trace whose submissions have dates begins at the midnight before the first of them, so
// that hours of the day stay what they were.
//
// Our own format has the columns id, submit_s (since the trace began), length_s, gpus; and, which a file may lack and a
// row leave empty, model, deadline_s (since submit) and best_effort (0 or 1). Files may give submit, and deadline, as
// UTC times instead.
Result<Trace> ReadTrace(std::string_view text, const std::string& name, TraceFormat format = TraceFormat::kAuto);

// When the stretch of `length` begins, in whole days since the trace did, whose submissions ask for the most GPU-hours;
// no job's GPU-hours count for more than the stretch can hold of them.
Duration BusiestDay(const Trace& trace, Duration length);

}  // namespace heliostat::workload
