#pragma once

#include <cstdint>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::scenario {

// The size and load of a generated scenario. Equal shapes give equal scenarios.
struct Shape {
  std::uint64_t seed = 1;
  std::size_t jobs = 100;
  std::size_t services = 1;
  std::size_t slots = 168;
  Duration step{3600};
  std::size_t groups = 2;  // of different GPUs
  int gpus = 128;          // in all groups together, about
  int gpus_per_node = 8;
  double load = 0.6;             // GPU-hours of all jobs at their energy-optimal point, as a share of all GPU-hours
  double best_effort = 0.0;      // share of jobs without a deadline
  double in_one_piece = 0.1;     // share of jobs that are not preemptible
  double slack = 3.0;            // mean of (deadline - submit) / shortest running time at one worker, at least 1.2 each
  double renewable_share = 0.3;  // on-site energy as a share of the energy of the full cluster
  int points_per_worker_count = 6;  // power limits per number of workers
  bool prices = true;
};

// Generates a realistic scenario: daily carbon, price and sun of a synthetic zone; models whose speed and power over
// power limits and workers follow curves like those measured on real GPUs; jobs with log-normal lengths that arrive
// during the horizon. Always valid; nearly always feasible when the load is below 0.8.
Scenario Generate(const Shape& shape);

}  // namespace heliostat::scenario
