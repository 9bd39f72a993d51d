#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/measurement.h"

namespace heliostat::profile {

// Perseus' measurements on A100s, any of three tables. Stage profiles (stage_profile_MODEL_GPU_….csv): time and energy
// of each pipeline stage by core clock; speed is micro-batches a second, set by the slowest stage, and every stage is
// taken to draw what it draws when busy, which is on the safe side. Tables of one limit for all GPUs: samples a second.
// Measured frontiers: iterations a second, by the mean clock of a schedule. Limits that differ by GPU are refused.
Result<std::vector<Measurement>> ReadPerseus(std::string_view text, const std::string& file);

}  // namespace heliostat::profile
