#pragma once

#include <cstddef>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/units.h"

namespace heliostat::scenario {

struct Scenario;

// Ways in which the signals may turn out, as scenarios of a forecast: path k of one signal belongs to path k of every
// other. A signal without paths is the same in all of them.
struct Paths {
  std::size_t count = 0;                                         // 0: nothing is known beside the scenario itself
  std::vector<std::vector<CarbonIntensity>> carbon;              // [path][slot], or empty
  std::vector<std::vector<Watts>> renewable;                     // [path][slot], or empty
  std::vector<std::vector<double>> price_per_kwh;                // [path][slot], or empty
  std::vector<std::vector<std::vector<double>>> requests_per_s;  // [service][path][slot]; a service's may be empty

  friend bool operator==(const Paths&, const Paths&) = default;
};

// Puts the signals of one path in the place of the scenario's own.
void ApplyPath(const Paths& paths, std::size_t path, Scenario& scenario);

// As many paths as it says, each with a value for every slot that the scenario's own signal could have there.
Status ValidatePaths(const Scenario& scenario, const Paths& paths);

}  // namespace heliostat::scenario
