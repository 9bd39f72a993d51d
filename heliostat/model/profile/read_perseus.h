#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/source.h"

namespace heliostat::profile {

// Reads any of three tables of the layouts of Perseus. Stage profiles (stage_profile_MODEL_GPU_….csv) have time
// and energy of each pipeline stage by core clock. The speed is micro-batches per second of the slowest stage; every
// stage counts with its busy power, which is an upper bound. Tables with one limit for all GPUs have samples per
// second. Measured frontiers have iterations per second, by the mean clock of a schedule. Fails on limits that differ
// by GPU.
Result<std::vector<Measurement>> ReadPerseus(const Source& source);

}  // namespace heliostat::profile
