#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/source.h"

namespace heliostat::profile {

// Reads ML.ENERGY's inference tables, version 2 or 3: LLM requests with the mean output length, images or videos, by
// batch, at default clocks. Leaves out rows without speed, length or energy, as the project's pages do.
Result<std::vector<Measurement>> ReadMlEnergy(const Source& source);

}  // namespace heliostat::profile
