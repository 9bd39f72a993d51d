#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/io/time_zone.h"
#include "heliostat/model/history/gpu_tres.h"
#include "heliostat/model/workload/job_comment.h"
#include "heliostat/model/workload/trace.h"

namespace heliostat::history {

// One row of a dump: one run of a job on GPUs. A job that was requeued has several.
struct SacctRun {
  std::int64_t line = 0;
  std::string id;  // as written: "123", "123_4", "123+0"
  std::string user{};
  std::string name{};
  Instant submit{};
  Instant start{};
  std::optional<Instant> end{};          // nothing: it had not ended
  std::optional<Duration> time_limit{};  // nothing: unlimited, or not told
  GpuTres gpus{};
  std::vector<std::string> hosts{};  // empty: not told
  int nodes = 0;                     // 0: not told
  // Heliostat never touches it, whatever its comment says: part of a heterogeneous job, or in a reservation.
  bool is_untouchable = false;
  workload::JobComment says{};
  friend bool operator==(const SacctRun&, const SacctRun&) = default;
};

// The output of sacct -P with a header.
struct SacctDump {
  std::string name;                         // of the file
  std::vector<SacctRun> runs;               // by start, then in the order of the file
  std::optional<Instant> last_submit{};     // of all jobs, also of those that never started or have no GPUs
  std::vector<workload::BadRow> skipped{};  // rows that were skipped because of a wrong value
  std::vector<std::string> notes{};         // what is left out or assumed, one sentence each
};

// How to read a dump.
struct SacctOptions {
  // Of times without an offset; sacct writes local time. Absent: UTC.
  std::optional<io::TimeZone> time_zone{};
  // A row with a wrong value is skipped and told in SacctDump::skipped. Otherwise it is an error.
  bool skips_bad_rows = false;
};

// Reads a dump. `name` is used in messages. Steps, jobs that never started and jobs without GPUs are left out and
// counted in notes. So is a last row that is cut. Any other wrong value is an error with file and line; a comment that
// cannot be read counts as none and is noted. The dump may have no runs.
Result<SacctDump> ReadSacct(std::string_view text, const std::string& name, const SacctOptions& options);

}  // namespace heliostat::history
