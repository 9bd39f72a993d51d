#include "heliostat/model/history/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace heliostat::history {
namespace {

using namespace std::chrono_literals;

// The type of most of the GPUs; empty where none is named.
std::string MainType(const GpuTres& gpus) {
  const auto most = std::ranges::max_element(gpus.types, {}, &std::pair<const std::string, int>::second);
  return most == gpus.types.end() ? std::string() : most->first;
}

PastJob JobOf(const SacctRun& run) {
  return {.id = run.id,
          .user = run.user,
          .name = run.name,
          .gpus = run.gpus.gpus,
          .type = MainType(run.gpus),
          .nodes = run.nodes,
          .time_limit = run.time_limit,
          .is_untouchable = run.is_untouchable};
}

// Whether the run continues the job, which was requeued.
bool Continues(const SacctRun& run, const PastJob& job) {
  return run.user == job.user && run.name == job.name && job.runs.back().span.end <= run.start;
}

bool HasSameGpus(const SacctRun& run, const PastJob& job) {
  const std::string type = MainType(run.gpus);
  return run.gpus.gpus == job.gpus && (type == job.type || type.empty() || job.type.empty());
}

// Jobs by number, while their runs come in the order of their starts.
class JobBuilder {
 public:
  void Add(const SacctRun& run) {
    std::vector<std::size_t>& same = by_id_[run.id];
    if (!same.empty()) {
      PastJob& job = record_.jobs[same.back()];
      EndBefore(run, job);
      if (Continues(run, job) && HasSameGpus(run, job)) return Continue(run, job);
      ++(Continues(run, job) ? record_.tally.split : record_.tally.reused_ids);
    }
    PastJob job = JobOf(run);
    for (int copy = 2; !ids_.insert(job.id).second; ++copy) job.id = fmt::format("{}-{}", run.id, copy);
    same.push_back(record_.jobs.size());
    record_.jobs.push_back(std::move(job));
    record_.tally.mixed_types += run.gpus.types.size() > 1 ? 1 : 0;
    Continue(run, record_.jobs.back());
  }
  Record Take() {
    record_.tally.requeued = static_cast<std::size_t>(
        std::ranges::count_if(record_.jobs, [](const PastJob& job) { return job.runs.size() > 1; }));
    return std::move(record_);
  }

 private:
  // A run without an end has ended when the job starts again.
  void EndBefore(const SacctRun& run, PastJob& job) {
    if (!job.is_open || run.start <= job.runs.back().span.begin) return;
    job.is_open = false;
    job.runs.back().span.end = run.start;
    ++record_.tally.ends_guessed;
  }
  void Continue(const SacctRun& run, PastJob& job) {
    ++record_.tally.runs;
    job.is_open = !run.end.has_value();
    // A job that is open ends with the record. Until then its end is not before its start.
    job.runs.push_back({{run.start, run.end.value_or(run.start)}, run.hosts});
    if (job.type.empty()) job.type = MainType(run.gpus);
    job.says = run.says;  // the comment as it was last
    job.time_limit = run.time_limit;
    job.is_untouchable |= run.is_untouchable;
  }

  Record record_;
  std::map<std::string, std::vector<std::size_t>> by_id_;
  std::set<std::string> ids_;
};

double GpuHoursIn(const Record& record, const Interval& window) {
  double seconds = 0.0;
  for (const PastJob& job : record.jobs) {
    for (const PastRun& run : job.runs) {
      seconds += job.gpus * Seconds(run.span.Intersect(window).length()).count();
    }
  }
  return seconds / 3600.0;
}

}  // namespace

Duration PastJob::length() const {
  Duration sum{};
  for (const PastRun& run : runs) sum += run.span.length();
  return sum;
}

double PastJob::gpu_hours() const { return gpus * Seconds(length()).count() / 3600.0; }

Record RecordOf(const SacctDump& dump) {
  JobBuilder builder;
  for (const SacctRun& run : dump.runs) builder.Add(run);
  return builder.Take();
}

Interval LikelyWindow(const Record& record, const SacctDump& dump) {
  Interval whole{record.jobs.front().runs.front().span.begin, record.jobs.front().runs.front().span.end};
  std::optional<Instant> first_end;
  Instant last_start = whole.begin;
  for (const PastJob& job : record.jobs) {
    for (std::size_t i = 0; i < job.runs.size(); ++i) {
      const Interval& span = job.runs[i].span;
      whole = {std::min(whole.begin, span.begin), std::max(whole.end, span.end)};
      last_start = std::max(last_start, span.begin);
      const bool has_ended = !job.is_open || i + 1 < job.runs.size();
      if (has_ended) first_end = std::min(first_end.value_or(span.end), span.end);
    }
  }
  last_start = std::max(last_start, dump.last_submit.value_or(last_start));
  whole.end = std::max(whole.end, last_start);  // open jobs ran at least until then
  const auto in_hours = [](const Interval& span) {
    const Instant begin = std::chrono::floor<std::chrono::hours>(span.begin);
    return Interval{begin, std::max<Instant>(std::chrono::ceil<std::chrono::hours>(span.end), begin + 1h)};
  };
  const Interval complete{first_end.value_or(whole.begin), last_start};
  const bool is_usual = !complete.empty() && 2.0 * GpuHoursIn(record, complete) >= GpuHoursIn(record, whole);
  return in_hours(is_usual ? complete : whole);
}

void CutTo(const Interval& window, Record& record) {
  for (PastJob& job : record.jobs) {
    if (job.is_open) {
      Interval& last = job.runs.back().span;
      last.end = std::max(last.end, window.end);
    }
    const double all = job.gpu_hours();
    const bool is_early = job.runs.front().span.begin < window.begin;
    job.is_end_cut = job.is_open || job.runs.back().span.end > window.end;
    for (PastRun& run : job.runs) run.span = run.span.Intersect(window);
    std::erase_if(job.runs, [](const PastRun& run) { return run.span.empty(); });
    record.tally.gpu_hours_outside += all - job.gpu_hours();
    if (job.runs.empty()) {
      ++record.tally.before;
      continue;
    }
    record.tally.begun_before += is_early ? 1 : 0;
    record.tally.ended_after += job.is_end_cut && !job.is_open ? 1 : 0;
  }
  std::erase_if(record.jobs, [](const PastJob& job) { return job.runs.empty(); });
  std::ranges::stable_sort(record.jobs, {}, [](const PastJob& job) { return job.runs.front().span.begin; });
}

}  // namespace heliostat::history
