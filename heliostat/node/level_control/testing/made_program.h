#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/node/level_control/speed_profile.h"

namespace heliostat::level_control::testing {

// 100 W to 300 W, every 5 W.
inline std::vector<double> LimitLevels() {
  std::vector<double> levels;
  for (int watts = 100; watts <= 300; watts += 5) levels.push_back(watts);
  return levels;
}

// A program with noisy steps, on a GPU whose power follows its limit up to 250 W.
class MadeProgram {
 public:
  explicit MadeProgram(double noise, int seed = 1) : noise_(noise), random_(static_cast<std::uint64_t>(seed)) {}

  double SpeedAt(double level) const { return 10.0 * (1.0 - std::exp(-(level - 60.0) / 50.0)); }
  double PowerAt(double level) const { return std::min(0.95 * level + 5.0, 250.0); }

  SteadySpell Run(double level, Duration length) {
    const double seconds = static_cast<double>(length.count());
    const double steps = SpeedAt(level) * seconds;
    const double off = random_.Normal(0.0, noise_ / std::sqrt(steps));
    return {level, Seconds{seconds}, steps * (1.0 + off), Joules{PowerAt(level) * seconds}};
  }

 private:
  double noise_;
  RandomStream random_;
};

}  // namespace heliostat::level_control::testing
