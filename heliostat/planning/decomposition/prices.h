#pragma once

#include <vector>

#include "heliostat/planning/decomposition/job_search.h"
#include "heliostat/planning/decomposition/model.h"

namespace heliostat::decomposition {

// What energy and GPUs cost in each slot.
struct Prices {
  std::vector<double> energy;             // [slot], objective units a facility kWh
  std::vector<std::vector<double>> rent;  // [group][slot], objective units a GPU-slot
};

// Prices as if no GPU were ever short: energy at what the grid asks, rent at what a filled node draws.
Prices OpenPrices(const Model& model);

// What one job does and costs at given prices.
struct Response {
  bool feasible = false;
  Schedule schedule;
  double bound = 0.0;
  double cost = 0.0;    // of the schedule
  double lambda = 0.0;  // kept from one round to the next
};

// What everybody would do at given prices.
struct Reply {
  double bound = 0.0;  // proven: no plan costs less
  std::vector<Response> jobs;
  std::vector<std::vector<std::size_t>> options;  // [service][slot]
};

// A second bound for clusters that are mostly asleep: services need whole nodes, so what is left of their nodes is
// there for jobs at no further cost. Takes the place of Reply's parts for services and nodes; wake-ups are left out.
double BoundWithServiceNodes(const Model& model, const Prices& prices, const std::vector<Response>& jobs);

// Asks every job and service, on as many threads as the machine has. `former` (may be empty) is where the searches
// begin. A job that cannot be done at all is left out of the bound.
Reply Ask(const Model& model, const Prices& prices, const std::vector<Response>& former);

}  // namespace heliostat::decomposition
