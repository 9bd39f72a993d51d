#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/core/units.h"
#include "heliostat/ui/report/html.h"

namespace heliostat::report {

// What a cluster has used, and what the policy of its controller would have changed.
struct ClusterPast {
  struct Used {
    Joules it;
    Grams carbon;
    double cost = 0.0;
  };
  struct Range {
    double value = 0.0;
    double low = 0.0;
    double high = 0.0;
  };
  struct Slot {
    Interval span;
    Used was;
    std::optional<Used> would_have_been;
    double gpus_was = 0.0;
    std::optional<double> gpus_would_have_been;
    std::optional<double> carbon_g_per_kwh;
    std::optional<double> price_per_kwh;
    std::optional<double> renewable_kw;
  };
  // Against the policy, since the shadow began.
  struct Comparison {
    Used was;
    Used would_have_been;
    Used outstanding;  // work of the cluster that the twin has not done yet
    Range saved_carbon_g;
    Range saved_cost;
    std::size_t jobs_done = 0;
    std::size_t jobs_waiting = 0;
    std::size_t jobs_late = 0;
  };
  struct MovedJob {
    std::string id;
    std::string name;
    std::string user;
    Instant from;
    std::optional<Instant> to;  // absent: it still waits on the twin
    std::optional<Grams> saved_carbon;
    std::optional<double> saved_cost;
  };
  struct LateJob {
    std::string id;
    std::string name;
    std::string user;
    std::string allowed;  // what its user allows, in words
    Duration late{0};
  };
  struct User {
    std::string name;  // empty: all others together
    std::size_t jobs = 0;
    Used used;
  };
  struct Group {
    std::string name;
    std::string gpu;
    int nodes = 0;
    int gpus = 0;
    Watts node_base;
    Watts gpu_idle;
    Watts gpu_busy;
    double gpu_busy_error = 0.0;  // relative
    bool is_estimated = true;     // watts of the built-in library
    Joules used;
  };

  std::string cluster;
  std::string version;  // "slurm 22.05.8"
  std::string mode;
  std::string policy;
  std::string currency;  // empty: none
  Instant begun;
  Instant looked;
  std::vector<std::string> problems;  // single lines
  Used used;                          // since it begun
  Used unused;                        // the part that no job pays for
  std::optional<Comparison> comparison;
  std::vector<Slot> slots;  // in order; the last is not over
  std::size_t jobs_moved = 0;
  std::vector<MovedJob> moved;  // those that save the most
  std::vector<LateJob> late;
  std::vector<User> users;
  std::vector<Group> groups;
};

// The page of `heliostat cluster report`. Fails when a chart cannot be drawn.
Result<std::string> ClusterPage(const ClusterPast& past, const MadeBy& made_by);

// "would have saved 12 to 18 % of the carbon", "would have changed the carbon by 3 % more to 8 % less": the verdict on
// a saving relative to what was. `of` is what is saved.
std::string SavingClause(const ClusterPast::Range& saved, double was, std::string_view of);

}  // namespace heliostat::report
