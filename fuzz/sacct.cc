// Any bytes are a dump of sacct, or one error. The runs of a dump have GPUs, a length and an order; their jobs, cut to
// any window, keep all GPU-hours. A scenario that is made of them is valid, or there is one error.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/model/history/history.h"

namespace {

using heliostat::Check;
using heliostat::Interval;
using heliostat::history::PastJob;
using heliostat::history::Record;
using heliostat::history::SacctDump;
using heliostat::history::SacctRun;

void CheckRuns(const SacctDump& dump) {
  Check(std::ranges::is_sorted(dump.runs, {}, &SacctRun::start), "runs are not in order");
  for (const SacctRun& run : dump.runs) {
    Check(run.gpus.gpus > 0 && !run.id.empty(), "a run has no GPUs or no name");
    Check(!run.end || *run.end > run.start, "a run has no length");
    Check(run.hosts.size() <= static_cast<std::size_t>(run.gpus.gpus), "a node of a run has no GPUs");
  }
}

double GpuHours(const Record& record) {
  double hours = 0.0;
  for (const PastJob& job : record.jobs) hours += job.gpu_hours();
  return hours;
}

// Returns the window; an empty one without jobs.
Interval CheckJobs(const SacctDump& dump) {
  Record record = RecordOf(dump);
  if (record.jobs.empty()) return {};
  const Interval window = LikelyWindow(record, dump);
  Check(!window.empty(), "the window is empty");
  const bool has_open = std::ranges::any_of(record.jobs, &PastJob::is_open);
  const double all = GpuHours(record);
  CutTo(window, record);
  const double sum = GpuHours(record) + record.tally.gpu_hours_outside;
  Check(has_open || std::abs(sum - all) <= 1e-6 * std::max(all, 1.0), "GPU-hours are lost at the edges");
  return window;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto dump = heliostat::history::ReadSacct(text, "dump.txt", {});
  if (!dump) Check(!dump.error().Line().empty(), "an error has no text");
  const auto tolerant = heliostat::history::ReadSacct(text, "dump.txt", {.skips_bad_rows = true});
  if (dump) Check(tolerant && tolerant->runs == dump->runs, "skipping bad rows changes a dump that has none");
  if (!tolerant) return 0;
  CheckRuns(*tolerant);
  // Signals of years take long to make.
  if (CheckJobs(*tolerant).length() > std::chrono::hours{24 * 40}) return 0;
  const heliostat::workload::ScenarioRecipe recipe{
      .step = std::chrono::hours{24}, .has_prices = false, .knob_steps = 2};
  const auto made = MakeFromDump(*tolerant, {.site = {.gpu_types = {{"", "A40"}}}}, recipe);
  Check(made ? Validate(made->scenario).has_value() : !made.error().Line().empty(), "a scenario is not valid");
  return 0;
}
