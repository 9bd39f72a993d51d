// Any bytes are a trace of the format of the target, or one error. The jobs of a trace are sorted and have GPUs and a
// length, and a trace that is written in the own format and read again is the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/target_name.h"
#include "heliostat/base/core/check.h"
#include "heliostat/model/workload/testing/written_trace.h"
#include "heliostat/model/workload/trace.h"

namespace {

using heliostat::Check;
using heliostat::workload::ReadTrace;
using heliostat::workload::Trace;
using heliostat::workload::TraceJob;
using heliostat::workload::TraceOptions;

void CheckTrace(const Trace& trace) {
  Check(!trace.jobs.empty(), "a trace has no jobs");
  Check(std::ranges::is_sorted(trace.jobs, {}, &TraceJob::submit), "jobs are not in order");
  for (const TraceJob& job : trace.jobs) {
    Check(job.gpus > 0 && job.length.count() > 0 && job.submit.count() >= 0,
          "a job has no GPUs, no length or a negative time");
  }
  Check(trace.gpu_hours() > 0.0, "a trace has no work");
  Trace again = trace;
  // Only jobs are written.
  again.dropped = 0;
  again.skipped.clear();
  again.notes.clear();
  const auto back = ReadTrace(heliostat::workload::testing::Written(again), trace.name);
  Check(back.has_value(), back ? "" : back.error().Line());
  Check(*back == again, "a trace changes when it is written and read again");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view target(TargetName());
  const auto format = heliostat::workload::ParseTraceFormat(target.substr(target.find('-') + 1));
  Check(format.has_value(), "the name of the target is not a format");
  TraceOptions options{.format = *format};
  const auto trace = ReadTrace(text, "trace.csv", options);
  if (trace) {
    Check(trace->skipped.empty(), "a row was skipped without being asked");
    CheckTrace(*trace);
  } else {
    Check(!trace.error().Line().empty(), "an error has no text");
  }
  options.skips_bad_rows = true;
  const auto tolerant = ReadTrace(text, "trace.csv", options);
  if (tolerant) CheckTrace(*tolerant);
  if (trace) Check(tolerant && *tolerant == *trace, "skipping bad rows changes a trace that has none");
  return 0;
}
