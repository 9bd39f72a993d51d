#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/model/history/sacct.h"

namespace heliostat::history {

// One run of a job of the past.
struct PastRun {
  Interval span;
  std::vector<std::string> hosts{};  // empty: not told
  friend bool operator==(const PastRun&, const PastRun&) = default;
};

// A job of the past with all its runs.
struct PastJob {
  std::string id;  // unique in its record
  std::string user{};
  std::string name{};
  std::vector<PastRun> runs{};  // one after the other, at least one
  bool is_open = false;         // it had not ended; its last run ends with the record
  bool is_end_cut = false;      // it ran on after the record
  int gpus = 1;
  std::string type{};  // of its GPUs, as the dump names it; empty: not told
  int nodes = 0;       // 0: not told
  std::optional<Duration> time_limit{};
  bool is_untouchable = false;
  workload::JobComment says{};

  Duration length() const;  // of all runs
  double gpu_hours() const;
  friend bool operator==(const PastJob&, const PastJob&) = default;
};

// What was found while runs became jobs, and while these were cut to a window.
struct RecordTally {
  std::size_t runs = 0;
  std::size_t requeued = 0;      // jobs with several runs
  std::size_t reused_ids = 0;    // jobs that have the number of another job
  std::size_t split = 0;         // runs of a job with other GPUs than its first, which count as jobs of their own
  std::size_t mixed_types = 0;   // jobs with GPUs of several types
  std::size_t ends_guessed = 0;  // runs without an end before the next run of the same job
  std::size_t before = 0;        // jobs that ended before the window, or began after it
  std::size_t begun_before = 0;  // jobs that began before the window
  std::size_t ended_after = 0;   // jobs that ran on after it
  double gpu_hours_outside = 0.0;
};

// Jobs of the past. Every span is a part of `window`, if there is one.
struct Record {
  std::vector<PastJob> jobs;  // by first start
  RecordTally tally{};
};

// Puts the runs of each job together. Runs with the same number, user and name that do not overlap are one job.
Record RecordOf(const SacctDump& dump);

// The time in which the dump is likely complete, in whole hours. A dump of the jobs from a time on to another has all
// jobs that ran then: every job ends after its begin, and none starts after its end. So the window is from the first
// end to the last start or submission; or, where this has less than half of the GPU-hours, from the first start to the
// last end. The record must have jobs.
Interval LikelyWindow(const Record& record, const SacctDump& dump);

// Cuts the jobs to the window. Jobs that did not run within it are left out; open jobs run to its end.
void CutTo(const Interval& window, Record& record);

}  // namespace heliostat::history
