#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/control/cluster/job.h"

// The queue as `squeue` prints it. Internal to this layer.
namespace heliostat::cluster {

// Jobs, and lines about what could not be read.
struct ParsedJobs {
  std::vector<ClusterJob> jobs;
  std::vector<std::string> problems;
};

// The value of squeue's option -O that makes it print what ParseQueue() reads, with `separator` after each cell.
std::string QueueFormat(std::string_view separator);

// Reads the whole output. kCorrupt for one that breaks off: a part of a queue looks like a queue whose other jobs
// ended. A row without a number or submit time is left out with a problem.
Result<ParsedJobs> ParseQueue(std::string_view text, std::string_view separator);

}  // namespace heliostat::cluster
