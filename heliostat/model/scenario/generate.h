#pragma once

#include <cstdint>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::scenario {

// How big a made-up scenario is, and how tight. Deterministic in all of these.
struct Shape {
  std::uint64_t seed = 1;
  std::size_t jobs = 100;
  std::size_t services = 1;
  std::size_t slots = 168;
  Duration step{3600};
  std::size_t groups = 2;  // of different GPUs
  int gpus = 128;          // in all groups together, about
  int gpus_per_node = 8;
  double load = 0.6;          // GPU-hours that the jobs need at their energy-optimal point, as a share of all there are
  double best_effort = 0.0;   // share of jobs without a deadline
  double in_one_piece = 0.1;  // share of jobs that are not preemptible
  double slack = 3.0;         // mean of (deadline - submit) / shortest running time at one worker, at least 1.2 each
  double renewable_share = 0.3;     // on-site energy as a share of what the cluster draws when full
  int points_per_worker_count = 6;  // power limits a GPU can be set to
  bool prices = true;
};

// A scenario with the look of a real one: diurnal carbon, price and sun of a synthetic zone; models whose speed and
// power over power limits and workers follow curves like those measured on real GPUs; jobs with log-normal lengths that
// arrive through the horizon. Always valid; nearly always feasible when load is below 0.8.
Scenario Generate(const Shape& shape);

}  // namespace heliostat::scenario
