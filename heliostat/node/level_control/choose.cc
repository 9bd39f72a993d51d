#include "heliostat/node/level_control/choose.h"

#include <algorithm>

#include "heliostat/base/core/check.h"

namespace heliostat::level_control {

double CostPerJoule(const EnergyWeights& weights, CarbonIntensity carbon, double price_per_joule) {
  return weights.per_gram * carbon.value + weights.per_money * price_per_joule;
}

double EtaCost::At(double speed, Watts power, double cost_per_joule) const {
  return (eta * power.value * cost_per_joule + (1.0 - eta) * most_power.value * highest_cost) / speed;
}

std::size_t ChooseByEta(std::span<const LevelOption> options, const EtaCost& cost, double cost_per_joule) {
  Check(!options.empty(), "nothing to choose from");
  std::size_t best = 0;
  for (std::size_t i = 1; i < options.size(); ++i) {
    const double mine = cost.At(options[i].speed, options[i].power, cost_per_joule);
    const double least = cost.At(options[best].speed, options[best].power, cost_per_joule);
    if (mine < least || (mine == least && options[i].speed > options[best].speed)) best = i;
  }
  return best;
}

std::size_t FastestOf(std::span<const LevelOption> options) {
  Check(!options.empty(), "nothing to choose from");
  std::size_t best = 0;
  for (std::size_t i = 1; i < options.size(); ++i) {
    const bool is_alike = options[i].speed == options[best].speed;
    if (options[i].speed > options[best].speed || (is_alike && options[i].power < options[best].power)) best = i;
  }
  return best;
}

const LevelOption& DefaultOf(std::span<const LevelOption> options) {
  Check(!options.empty(), "nothing to choose from");
  return *std::ranges::max_element(options, {}, &LevelOption::level);
}

bool SavesEnergy(std::span<const LevelOption> options) {
  const LevelOption& usual = DefaultOf(options);
  return std::ranges::any_of(options, [&usual](const LevelOption& option) {
    return option.power.value * usual.speed < usual.power.value * option.speed;
  });
}

}  // namespace heliostat::level_control
