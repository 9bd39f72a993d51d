#pragma once

#include "heliostat/base/io/json.h"
#include "heliostat/control/cluster/job.h"

namespace heliostat::controller {

// What the controller remembers of a job beyond a restart: who it is, what it has and when it began and ended. The rest
// comes from the cluster again, as long as that knows the job.
io::Json KeepJob(const cluster::ClusterJob& job);
Result<cluster::ClusterJob> KeptJob(const io::Json& json);

}  // namespace heliostat::controller
