#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace heliostat::auto_parts {

// A coarse forecast at a finer step: a line through the middles of its steps,
// starting from the newest fine value, whose distance from that line fades
// within a coarse step or two; on the line alone when that value is not known.
// `parts` fine steps make a coarse one; `last_coarse` is the mean of the coarse
// step just past.
std::vector<double> Refine(const std::vector<double>& coarse, std::size_t parts, double last_coarse,
                           std::optional<double> last_fine);

}  // namespace heliostat::auto_parts
