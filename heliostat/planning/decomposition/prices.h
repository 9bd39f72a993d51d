#pragma once

#include <vector>

#include "heliostat/planning/decomposition/job_search.h"
#include "heliostat/planning/decomposition/model.h"

namespace heliostat::decomposition {

// The prices of energy and GPUs in each slot.
struct Prices {
  std::vector<double> energy;             // [slot], objective units per facility kWh
  std::vector<std::vector<double>> rent;  // [group][slot], objective units per GPU-slot
};

// Prices without any shortage of GPUs: energy at the price of the grid, rent from the energy of a full node.
Prices OpenPrices(const Model& model);

// The best schedule of one job at given prices.
struct Response {
  bool feasible = false;
  Schedule schedule;
  double bound = 0.0;
  double cost = 0.0;    // of the schedule
  double lambda = 0.0;  // price of a sample; a start for the next round
};

// The best schedules and options of all jobs and services at given prices.
struct Reply {
  double bound = 0.0;  // proven: no plan costs less
  std::vector<Response> jobs;
  std::vector<std::vector<std::size_t>> options;  // [service][slot]
};

// A second bound, for clusters that are mostly asleep. Services need whole nodes, so jobs can use the rest of those
// nodes at no cost. It replaces the parts of Reply::bound for services and nodes, and leaves out wake-ups. Minus
// infinity when there are too many combinations of options, or without right-sizing.
double BoundWithServiceNodes(const Model& model, const Prices& prices, const std::vector<Response>& jobs);

// Computes the reply of every job and service, with `threads` threads (0: one per core) unless jobs are few. The
// searches begin from `former` (may be empty). A job that cannot be done at all does not count in the bound.
Reply Ask(const Model& model, const Prices& prices, const std::vector<Response>& former, unsigned threads = 0);

}  // namespace heliostat::decomposition
