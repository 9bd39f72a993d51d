#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/measurement.h"

namespace heliostat::profile {

// ML.ENERGY's inference tables, version 2 or 3: LLM requests of the mean length written, images or videos, by batch,
// at default clocks. Rows that lack speed, length or energy are left out, as the project's own pages do.
Result<std::vector<Measurement>> ReadMlEnergy(std::string_view text, const std::string& file);

}  // namespace heliostat::profile
