#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace heliostat::auto_parts {

// Converts a coarse forecast to a finer step: lines through the middles of the coarse steps, plus the difference of the
// newest fine value to that line, which decays within one or two coarse steps. Without a newest value the result is the
// line alone. `parts` is the number of fine steps per coarse step; `last_coarse` is the mean of the last coarse step
// before the forecast.
std::vector<double> Refine(const std::vector<double>& coarse, std::size_t parts, double last_coarse,
                           std::optional<double> last_fine);

}  // namespace heliostat::auto_parts
