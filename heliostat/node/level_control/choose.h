#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "heliostat/base/core/units.h"

namespace heliostat::level_control {

// Speed and power at one level of the knob. Speed is work per second, in any unit that all options share.
struct LevelOption {
  double level = 0.0;
  double speed = 0.0;
  Watts power{};
  friend bool operator==(const LevelOption&, const LevelOption&) = default;
};

// Weights of carbon and money in the cost of a joule. By default the cost is grams of carbon.
struct EnergyWeights {
  double per_gram = 1.0;
  double per_money = 0.0;  // of the price's currency
};
double CostPerJoule(const EnergyWeights& weights, CarbonIntensity carbon, double price_per_joule);

// Equation 6 of Chase (Yang et al. 2023): [eta * power * cost + (1 - eta) * most power * highest cost] / speed. The
// second term is the value of time: an hour is worth its energy at full power and at the highest cost.
struct EtaCost {
  double eta = 0.5;
  Watts most_power{};
  double highest_cost = 0.0;  // per joule; of the day before the run

  double At(double speed, Watts power, double cost_per_joule) const;
};

// The index of the option with the least such cost; of equal ones the faster. Options must not be empty, and speeds
// must be above 0.
std::size_t ChooseByEta(std::span<const LevelOption> options, const EtaCost& cost, double cost_per_joule);

// The index of the fastest option; of equal ones that with less power.
std::size_t FastestOf(std::span<const LevelOption> options);
// The option of the highest level: what the GPU does by default.
const LevelOption& DefaultOf(std::span<const LevelOption> options);
// True when some other level than the default needs less energy for the same work. Never true for pace: a held program
// still draws power.
bool SavesEnergy(std::span<const LevelOption> options);

}  // namespace heliostat::level_control
