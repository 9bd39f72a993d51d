#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/control/cluster/cluster.h"
#include "heliostat/control/controller/config.h"
#include "heliostat/control/controller/job_terms.h"
#include "heliostat/control/controller/node_groups.h"
#include "heliostat/control/controller/shared_value.h"
#include "heliostat/control/controller/slot_history.h"
#include "heliostat/model/account/energy_carbon_cost.h"

namespace heliostat::controller {

// How a job stands on the twin of the cluster.
struct TwinJob {
  bool is_running = false;
  std::optional<Instant> start;          // when it began there
  std::optional<Instant> end;            // when it was done there
  std::optional<Instant> planned_start;  // of a job that waits there
  std::string why;                       // why it waits or runs, one clause
};

// A job that the policy would have started at another time than the cluster did.
struct MovedJob {
  Instant from;
  std::optional<Instant> to;          // absent: it still waits on the twin
  std::optional<Grams> saved_carbon;  // by its GPUs; absent while it is not over on both sides
  double saved_cost = 0.0;
};

// A job in the cluster, or one that has ended since the accounts began.
struct JobReport {
  SharedValue<cluster::ClusterJob> job;
  SharedValue<JobTerms> terms;  // of an ended job: as last known
  account::Balance used{};
  std::optional<MovedJob> moved{};
  Duration late{0};               // how much later it ends on the twin than its user allows
  std::optional<TwinJob> twin{};  // in shadow mode, of jobs that the cluster has started
  // Of a job that waits: the best start within its slack, and what that saves against the earliest.
  std::optional<Instant> best_start{};
  Grams best_saves{};
  double best_saves_cost = 0.0;
};

struct NodeReport {
  cluster::ClusterNode node;
  std::string group;  // empty: none
  Watts power;        // estimated
  Joules used;        // since the accounts began
};

// A number with its lowest and highest possible value.
struct Range {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
};

// A class of nodes, with the watts that its energy is estimated from.
struct GroupReport {
  NodeGroup group;
  Joules used;  // since the accounts began
};

// What the jobs of a user have used since the accounts began.
struct UserReport {
  account::Balance used;
  std::size_t jobs = 0;  // that have used something
};

// What is expected of a slot of time.
struct SlotReport {
  Instant begin;
  CarbonIntensity carbon;
  Watts renewable;
  std::optional<double> price_per_kwh;
};

// What the policy would have saved since the accounts began.
struct ShadowReport {
  account::Balance was;
  account::Balance would_have_been;
  account::Balance outstanding;  // work that the cluster has done and the twin has not: what it will use, expected
  Range saved_carbon_g;          // was - would_have_been - outstanding
  Range saved_cost;
  std::size_t jobs_waiting = 0;  // on the twin
  std::size_t jobs_done = 0;     // on the twin
  std::size_t jobs_late = 0;     // on the twin: later than their users allow
};

// All that commands ask for, as of the last look at the cluster. Immutable once published.
struct Report {
  Mode mode = Mode::kObserve;
  std::string policy;
  std::string cluster;  // its name
  std::string version;  // "slurm 22.05.8"
  std::vector<std::string> private_data;
  Instant begun;   // of the accounts
  Instant looked;  // the last look that succeeded
  Seconds last_cycle{};
  bool is_healthy = false;
  std::vector<std::string> problems;  // single lines

  Watts power;  // IT, estimated
  std::optional<CarbonIntensity> carbon;
  std::string currency;
  account::Balance used;    // since the accounts began
  account::Balance unused;  // the part that no job pays for
  std::optional<ShadowReport> shadow;

  std::size_t jobs_moved = 0;  // of those that have ended on both sides
  std::map<std::string, UserReport> users;
  std::vector<GroupReport> groups;
  std::vector<PastSlot> recent;  // slots that are not in the archive yet; the last is the present one so far

  std::vector<JobReport> jobs;
  std::vector<NodeReport> nodes;
  std::vector<SlotReport> ahead;  // from the present slot on; empty without signals
};

}  // namespace heliostat::controller
