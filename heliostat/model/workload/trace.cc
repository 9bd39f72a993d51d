#include "heliostat/model/workload/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heliostat/base/core/names.h"
#include "heliostat/base/core/nearest.h"
#include "heliostat/base/core/units.h"
#include "heliostat/model/workload/readers.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;

constexpr std::array<TraceReader, 5> kReaders{{
    {TraceFormat::kPhilly, {"timestamp", "duration", "num_gpus"}, ReadPhilly},
    {TraceFormat::kChronus, {"num_gpu", "submit_time", "expect_time_list"}, ReadChronus},
    {TraceFormat::kPollux, {"time", "application", "num_replicas"}, ReadPollux},
    {TraceFormat::kPai, {"arrival_time", "length", "cpus"}, ReadPai},
    {TraceFormat::kOurs, {"id", "length_s", "gpus"}, ReadOwn},
}};
constexpr auto kFormats = NamesOf<TraceFormat>({
    {TraceFormat::kPhilly, "philly"},    // Microsoft Philly as cleaned for Pollux: dates, seconds, GPUs
    {TraceFormat::kChronus, "chronus"},  // minutes, models and deadlines
    {TraceFormat::kPollux, "pollux"},    // applications and replicas; lengths are estimates
    {TraceFormat::kPai, "pai"},          // Alibaba PAI as timed for GAIA: hours, units taken as GPUs
    {TraceFormat::kOurs, "own"},
    {TraceFormat::kTable, "table"},  // any columns, by their names
});

std::vector<std::string_view> FormatNames() {
  std::vector<std::string_view> names;
  for (const auto& row : kFormats.rows) names.push_back(row.name);
  return names;
}

// The reader whose columns all exist. Null when there is none: then it is a table.
const TraceReader* ReaderFor(const Rows& rows, TraceFormat format) {
  for (const TraceReader& reader : kReaders) {
    if (format == TraceFormat::kAuto ? rows.Has(reader.columns) : reader.format == format) return &reader;
  }
  return nullptr;
}

Status RefuseRepeatedNames(const Trace& trace) {
  std::vector<std::string_view> ids;
  ids.reserve(trace.jobs.size());
  for (const TraceJob& job : trace.jobs) ids.push_back(job.id);
  std::ranges::sort(ids);
  const auto twice = std::ranges::adjacent_find(ids);
  if (twice != ids.end()) {
    return Fail(ErrorCode::kInvalidArgument, trace.name, fmt::format("job '{}' occurs twice", Printable(*twice, 60)),
                "names must differ");
  }
  if (!ids.empty() && ids.front().empty()) {
    return Fail(ErrorCode::kInvalidArgument, trace.name, "a job has no name", "each needs one");
  }
  return {};
}

// Dates may be further apart than kCentury.
Status RefuseCenturies(const Trace& trace) {
  const auto is_long = [](const TraceJob& job) {
    return job.submit > kCentury || job.wait > kCentury || job.deadline.value_or(0s) > kCentury;
  };
  const auto found = std::ranges::find_if(trace.jobs, is_long);
  if (found == trace.jobs.end()) return {};
  return Fail(
      ErrorCode::kInvalidArgument, trace.name,
      fmt::format("submit, start or deadline of job '{}' is more than a century away", Printable(found->id, 60)),
      "a trace must be shorter");
}

}  // namespace

double Trace::gpu_hours() const {
  double seconds = 0.0;
  for (const TraceJob& job : jobs) seconds += Seconds(job.length).count() * job.gpus;
  return seconds / 3600.0;
}

Result<TraceFormat> ParseTraceFormat(std::string_view name) {
  if (name == "auto") return TraceFormat::kAuto;
  if (const auto found = kFormats.Find(name)) return *found;
  std::vector<std::string_view> names = FormatNames();
  names.insert(names.begin(), "auto");
  return Fail(ErrorCode::kInvalidArgument, "trace format", fmt::format("'{}' is not known", Printable(name, 40)),
              OneOf(name, names));
}

Result<Trace> ReadTrace(std::string_view text, const std::string& name, TraceFormat format) {
  return ReadTrace(text, name, TraceOptions{.format = format});
}

Result<Trace> ReadTrace(std::string_view text, const std::string& name, const TraceOptions& options) {
  Rows rows(text, name, options);
  if (!rows.status()) return Propagate(rows.status());
  const TraceReader* const reader = options.columns.empty() ? ReaderFor(rows, options.format) : nullptr;
  Trace trace = reader != nullptr ? reader->read(rows) : ReadTable(rows, options);
  if (const Status status = rows.status(); !status) return Propagate(status);
  trace.name = name;
  trace.skipped = rows.bad();
  if (trace.jobs.empty()) return Fail(ErrorCode::kInvalidArgument, name, "has no jobs", "at least one is needed");
  if (const Status bad = RefuseRepeatedNames(trace); !bad) return Propagate(bad);
  if (const Status bad = RefuseCenturies(trace); !bad) return Propagate(bad);
  std::ranges::stable_sort(trace.jobs, {}, &TraceJob::submit);
  return trace;
}

Duration BusiestDay(const Trace& trace, Duration length) {
  Duration best{};
  double most = -1.0;
  for (Duration day{}; day <= trace.span(); day += 24h) {
    double seconds = 0.0;
    auto next = std::ranges::lower_bound(trace.jobs, day, {}, &TraceJob::submit);
    for (; next != trace.jobs.end() && next->submit < day + length; ++next) {
      seconds += Seconds(std::min(next->length, day + length - next->submit)).count() * next->gpus;
    }
    if (seconds <= most) continue;
    most = seconds;
    best = day;
  }
  return best;
}

}  // namespace heliostat::workload
