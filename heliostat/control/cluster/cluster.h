#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/control/cluster/facts.h"
#include "heliostat/control/cluster/job.h"
#include "heliostat/control/cluster/node.h"

namespace heliostat::cluster {

// A cluster at one moment. No two jobs have one key, no two nodes one name.
struct ClusterSnapshot {
  Instant time;  // before the first question was asked
  std::vector<ClusterJob> jobs;
  std::vector<ClusterNode> nodes;
  // Single lines about parts of the answer that could not be read, "WHERE: WHAT". What they name is left out or has an
  // empty value; the rest holds.
  std::vector<std::string> problems;
};

// A cluster as seen from outside: its configuration, queue, nodes and past. Only reads.
//
// A failed answer is an error and never an empty list: a caller must not take silence for an empty queue. kUnavailable
// is transient, ask again at the next cycle; an implementation limits the time of every call, and the load of calls to
// a cluster that does not answer. Used from one thread.
class Cluster {
 public:
  virtual ~Cluster() = default;

  virtual Result<ClusterFacts> Facts() = 0;
  // Everything that waits, runs or has ended a short time ago, and every node. Costs the cluster at most as much as two
  // listings of its queue.
  virtual Result<ClusterSnapshot> Look() = 0;
  // The jobs that ended within `span`, each run of a requeued job for itself, in the order of their ends. kUnsupported
  // where the cluster keeps no accounts. May take long.
  virtual Result<std::vector<ClusterJob>> History(const Interval& span) = 0;
};

}  // namespace heliostat::cluster
