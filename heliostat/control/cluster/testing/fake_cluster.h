#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "heliostat/control/cluster/cluster.h"

namespace heliostat::cluster::testing {

// A cluster in memory, for tests of what is built on this layer: it answers with what the test sets.
class FakeCluster final : public Cluster {
 public:
  ClusterFacts facts{.kind = "slurm", .version = "24.11.5", .name = "fake", .accounting = Accounting::kDatabase};
  ClusterSnapshot snapshot;
  std::vector<ClusterJob> ended;
  std::optional<Error> trouble;  // every question fails with it

  Result<ClusterFacts> Facts() override { return Answer(facts); }
  Result<ClusterSnapshot> Look() override { return Answer(snapshot); }
  Result<std::vector<ClusterJob>> History(const Interval& span) override {
    std::vector<ClusterJob> within;
    for (const ClusterJob& job : ended) {
      if (job.end && span.Contains(*job.end)) within.push_back(job);
    }
    std::stable_sort(within.begin(), within.end(),
                     [](const ClusterJob& a, const ClusterJob& b) { return *a.end < *b.end; });
    return Answer(within);
  }

 private:
  template <typename T>
  Result<T> Answer(const T& value) const {
    if (trouble) return tl::unexpected<Error>(*trouble);
    return value;
  }
};

}  // namespace heliostat::cluster::testing
