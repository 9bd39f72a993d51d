// Any bytes are a trace of the format that the target is named after, or one error. Jobs of a trace are sorted, ask for
// GPUs and time, and what is written of them in our own format reads back as they were.
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

void CheckTrace(const Trace& trace) {
  Check(!trace.jobs.empty(), "a trace without jobs");
  Check(std::ranges::is_sorted(trace.jobs, {}, &TraceJob::submit), "jobs are not in order");
  for (const TraceJob& job : trace.jobs) {
    Check(job.gpus > 0 && job.length.count() > 0 && job.submit.count() >= 0, "a job asks for nothing");
  }
  Check(trace.gpu_hours() > 0.0, "no work");
  Trace again = trace;
  again.dropped = 0;  // what was left out is not written
  const auto back = ReadTrace(heliostat::workload::testing::Written(again), trace.name);
  Check(back.has_value(), back ? "" : back.error().Line());
  Check(*back == again, "a trace has changed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view target(kTargetName);
  const auto format = heliostat::workload::ParseTraceFormat(target.substr(target.find('-') + 1));
  Check(format.has_value(), "the target is named after no format");
  const auto trace = ReadTrace(text, "trace.csv", *format);
  if (trace) {
    CheckTrace(*trace);
  } else {
    Check(!trace.error().Line().empty(), "an error says nothing");
  }
  return 0;
}
