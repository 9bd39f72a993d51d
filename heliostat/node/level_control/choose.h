#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "heliostat/base/core/units.h"

namespace heliostat::level_control {

// What one level of the knob gives: work a second (steps, samples: any unit, the same everywhere) and the draw.
struct LevelOption {
  double level = 0.0;
  double speed = 0.0;
  Watts power{};
  friend bool operator==(const LevelOption&, const LevelOption&) = default;
};

// What a joule costs: carbon, money, or both, in a unit of the user's own. Grams alone as it stands.
struct EnergyWeights {
  double per_gram = 1.0;
  double per_money = 0.0;  // of the price's currency
};
double CostPerJoule(const EnergyWeights& weights, CarbonIntensity carbon, double price_per_joule);

// Chase (Yang et al. 2023), equation 6: [eta * power * cost + (1 - eta) * most power * highest cost] / speed. The
// second term is what time is worth: an hour at full power when energy is at its dearest.
struct EtaCost {
  double eta = 0.5;
  Watts most_power{};
  double highest_cost = 0.0;  // per joule; of the day before the run

  double At(double speed, Watts power, double cost_per_joule) const;
};

// The option with the least such cost, the faster of two alike. Options are not empty, speeds above 0.
std::size_t ChooseByEta(std::span<const LevelOption> options, const EtaCost& cost, double cost_per_joule);

// The fastest option; of two alike the one that draws less.
std::size_t FastestOf(std::span<const LevelOption> options);
// The option of the highest level: what the GPU does when nobody turns the knob.
const LevelOption& DefaultOf(std::span<const LevelOption> options);
// Whether some other level needs less energy for the same work. Never so for pace: what is held still draws power.
bool SavesEnergy(std::span<const LevelOption> options);

}  // namespace heliostat::level_control
