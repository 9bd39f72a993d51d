#pragma once

#include <vector>

#include "heliostat/price/job_search.h"
#include "heliostat/price/model.h"

namespace heliostat::price {

// What energy and GPUs cost in each slot.
struct Prices {
  std::vector<double> energy;             // [slot], objective units a facility kWh
  std::vector<std::vector<double>> rent;  // [group][slot], objective units a GPU-slot

  // `toward` of the way from this to `other`.
  Prices Mixed(const Prices& other, double toward) const;
};

// Prices as if no GPU were ever short: energy at what the grid asks, rent at what a filled node draws.
Prices OpenPrices(const Model& model);

// What GPUs cost beyond the energy of the nodes that hold them: above zero where GPUs are short. A GPU-second.
std::vector<std::vector<double>> Scarcity(const Model& model, const Prices& prices);

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

// Asks every job and service, on as many threads as the machine has. `former` (may be empty) is where the searches
// begin. A job that cannot be done at all is left out of the bound.
Reply Ask(const Model& model, const Prices& prices, const std::vector<Response>& former);

}  // namespace heliostat::price
