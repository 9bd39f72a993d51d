#pragma once

#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/control/cluster/slurm_queue.h"

// Ended jobs as `sacct` prints them. Internal to this layer.
namespace heliostat::cluster {

// The value of sacct's option -o for what ParseHistory() reads.
std::string HistoryFields();

// Reads the whole output of sacct -p with `separator` as delimiter: the jobs that ended within `span`, in the order of
// their ends. kCorrupt for one that breaks off.
Result<ParsedJobs> ParseHistory(std::string_view text, std::string_view separator, const Interval& span);

}  // namespace heliostat::cluster
