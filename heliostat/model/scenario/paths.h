#pragma once

#include <cstddef>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/units.h"

namespace heliostat::scenario {

struct Scenario;

// Possible futures of the signals, from a forecast. Path k of one signal belongs to path k of every other. A signal
// without paths has the scenario's values in all of them.
struct Paths {
  std::size_t count = 0;                             // 0: no futures besides the scenario itself
  std::vector<std::vector<CarbonIntensity>> carbon;  // [path][slot], or empty
  std::vector<std::vector<Watts>> renewable;         // [path][slot], or empty
  std::vector<std::vector<double>> price_per_kwh;    // [path][slot], or empty
  std::vector<std::vector<std::vector<double>>>
      requests_per_s;  // [service][path][slot]; empty for a service without paths

  friend bool operator==(const Paths&, const Paths&) = default;
};

// Replaces the scenario's signals by those of one path.
void ApplyPath(const Paths& paths, std::size_t path, Scenario& scenario);

// Fails unless each signal has `count` paths, each with one valid value per slot.
Status ValidatePaths(const Scenario& scenario, const Paths& paths);

}  // namespace heliostat::scenario
