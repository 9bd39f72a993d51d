#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/control/sim/meter.h"
#include "heliostat/control/sim/nodes.h"
#include "heliostat/planning/plan/plan.h"

namespace heliostat::sim {

// What became of a job.
struct JobRun {
  std::optional<Instant> finish;  // nothing: not done when the horizon ended
  double samples_done = 0.0;      // that count: what a failure destroyed does not
  Joules energy;                  // of its GPUs, before PUE
  int starts = 0;                 // first start, restarts, changes of workers
  int interruptions = 0;          // by failures
  plan::JobPlan plan;             // what it ran, when and how
};

// What became of a service.
struct ServiceRun {
  double requests = 0.0;
  double violated = 0.0;                 // requests that came while the latency was not kept
  std::vector<plan::ServiceSlot> slots;  // one a slot: as it stood at its end; latency is the slot's worst
  std::vector<double> p50_s;             // one a slot: median latency, NaN without requests
};

// A time in which a node was not up.
struct NodeSpan {
  std::size_t group = 0;
  int node = 0;
  NodeState state = NodeState::kAsleep;
  Interval span;
};

// One policy's way through a scenario.
struct SimulatedRun {
  std::string policy;
  account::Balance total;
  std::vector<account::Balance> slots;
  std::vector<Draw> draws;                   // IT energy of each slot by what drew it
  std::vector<std::vector<float>> nodes_up;  // [group][slot]: mean number of nodes that were up
  std::vector<JobRun> jobs;                  // in the scenario's order
  std::vector<ServiceRun> services;
  std::vector<NodeSpan> node_spans;
  int wake_ups = 0;
  int failures = 0;
  double idle_node_hours = 0.0;
  double performance = 0.0;
  double wall_s = 0.0;  // not part of the result: two runs that are equal differ here
};

// The figures that people compare, by the contract's names.
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
  std::size_t deadline_misses = 0;  // jobs not done by a deadline inside the horizon
  double requests_total = 0.0;
  double slo_violation_fraction = 0.0;
  double mean_completion_s = 0.0;  // from submit until done, of jobs that were done
  double p95_completion_s = 0.0;
  int wake_ups = 0;
  double idle_node_hours = 0.0;
  double wall_s = 0.0;
};
Figures FiguresOf(const scenario::Scenario& scenario, const SimulatedRun& run);

}  // namespace heliostat::sim
