#include "heliostat/model/account/energy_carbon_cost.h"

#include <algorithm>

namespace heliostat::account {

Watts ServingPower(Watts idle, Watts busy, double utilisation) { return idle + (busy - idle) * utilisation; }

Balance& Balance::operator+=(const Balance& other) {
  it += other.it;
  facility += other.facility;
  grid += other.grid;
  renewable_used += other.renewable_used;
  carbon += other.carbon;
  cost += other.cost;
  return *this;
}

Balance Settle(Joules it, const Supply& supply) {
  Balance balance;
  balance.it = it;
  balance.facility = it * supply.pue;
  balance.renewable_used = std::min(balance.facility, supply.renewable);
  balance.grid = balance.facility - balance.renewable_used;
  balance.carbon = balance.grid * supply.grid + balance.renewable_used * supply.renewable_carbon;
  balance.cost = InKilowattHours(balance.grid) * supply.price_per_kwh;
  return balance;
}

}  // namespace heliostat::account
