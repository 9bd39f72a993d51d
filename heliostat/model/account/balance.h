#pragma once

#include "heliostat/base/core/units.h"

namespace heliostat::account {

// Mean power of a GPU that serves: idle + utilisation * (busy - idle).
Watts ServingPower(Watts idle, Watts busy, double utilisation);

// What a stretch of time is supplied with.
struct Supply {
  CarbonIntensity grid;
  Joules renewable;  // on-site energy in this stretch of time
  CarbonIntensity renewable_carbon;
  double price_per_kwh = 0.0;
  double pue = 1.0;
};

// Energy, carbon and cost: the one place where they are computed, for plans, simulations and runs alike. Additive.
struct Balance {
  Joules it;
  Joules facility;
  Joules grid;
  Joules renewable_used;
  Grams carbon;
  double cost = 0.0;  // in the currency of the price

  Balance& operator+=(const Balance& other);
};

// Renewable first, grid for the rest; what is not used is lost. Without on-site power it is linear in the energy.
Balance Settle(Joules it, const Supply& supply);

}  // namespace heliostat::account
