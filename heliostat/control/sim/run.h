#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/control/sim/group_nodes.h"
#include "heliostat/control/sim/meter.h"
#include "heliostat/planning/plan/plan.h"

namespace heliostat::sim {

// The result of one job.
struct JobRun {
  std::optional<Instant> finish;  // nothing: not done when the horizon ended
  double samples_done = 0.0;      // without work that a failure destroyed
  Joules energy;                  // of its GPUs, before PUE
  int starts = 0;                 // first start, restarts, changes of workers
  int interruptions = 0;          // by failures
  plan::JobPlan plan;             // when, where and how it ran
};

// The result of one service.
struct ServiceRun {
  double requests = 0.0;
  double violated = 0.0;                 // requests in times when the latency was not kept
  std::vector<plan::ServiceSlot> slots;  // one per slot: the state at its end, with the slot's worst latency
  std::vector<double> p50_s;             // one per slot: median latency, NaN without requests
};

// A span of time in which a node was not up.
struct NodeSpan {
  std::size_t group = 0;
  int node = 0;
  NodeState state = NodeState::kAsleep;
  Interval span;
};

// The result of one policy on one scenario.
struct SimulatedRun {
  std::string policy;
  account::Balance total;
  std::vector<account::Balance> slots;
  std::vector<Draw> draws;                   // [slot]: IT energy by use
  std::vector<std::vector<float>> nodes_up;  // [group][slot]: mean number of nodes up
  std::vector<JobRun> jobs;                  // in the scenario's order
  std::vector<ServiceRun> services;
  std::vector<NodeSpan> node_spans;
  int wake_ups = 0;
  int failures = 0;
  double idle_node_hours = 0.0;
  double performance = 0.0;
  int plans = 0;                               // of a policy that plans
  std::optional<account::Balance> own_plan{};  // what its first plan expected, with perfect foresight
  double wall_s = 0.0;                         // computing time; differs between equal runs
};

// The figures of a run, with the names of docs/contract.md.
struct Figures {
  double carbon_kg = 0.0;
  double cost = 0.0;
  double energy_kwh = 0.0;
  double grid_kwh = 0.0;
  double renewable_used_kwh = 0.0;
  double performance = 0.0;
  double ppc = 0.0;
  std::size_t jobs_total = 0;
  std::size_t jobs_completed = 0;
  std::size_t deadline_misses = 0;      // jobs not done by a deadline inside the horizon
  std::size_t jobs_late_or_undone = 0;  // jobs done after their deadline, or not within the horizon
  double requests_total = 0.0;
  double slo_violation_fraction = 0.0;
  std::size_t services_broken = 0;  // services with a larger share of late requests than their percentile allows
  double mean_completion_s = 0.0;   // from submit to finish, over completed jobs
  double p95_completion_s = 0.0;
  int wake_ups = 0;
  double idle_node_hours = 0.0;
  double wall_s = 0.0;
};
Figures FiguresOf(const scenario::Scenario& scenario, const SimulatedRun& run);

}  // namespace heliostat::sim
