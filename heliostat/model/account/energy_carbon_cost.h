#pragma once

#include "heliostat/base/core/units.h"

namespace heliostat::account {

// Mean power of a GPU that serves: idle + utilisation * (busy - idle).
Watts ServingPower(Watts idle, Watts busy, double utilisation);

// The electricity supply of a span of time.
struct Supply {
  CarbonIntensity grid;
  Joules renewable;  // on-site energy in this span
  CarbonIntensity renewable_carbon;
  double price_per_kwh = 0.0;
  double pue = 1.0;
};

// Energy, carbon and cost of a span of time. Plans, simulations and runs all compute them here. Additive.
struct Balance {
  Joules it;
  Joules facility;
  Joules grid;
  Joules renewable_used;
  Grams carbon;
  double cost = 0.0;  // in the currency of the price

  Balance& operator+=(const Balance& other);
};

// Computes the balance of a span from its IT energy. On-site energy is used first, the grid supplies the rest; on-site
// energy that is not used is lost. Without on-site energy the result is linear in `it`.
Balance Settle(Joules it, const Supply& supply);

}  // namespace heliostat::account
