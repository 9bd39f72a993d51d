#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/source.h"

namespace heliostat::profile {

// Reads Zeus' traces of power limits (summary_power_GPU.csv): time of an epoch and average power by model, batch and
// limit, on one GPU. The GPU is in the file name. Speeds are samples per second, from the size of the data set. With
// several optimizers, the one that is fastest at the highest limit counts.
Result<std::vector<Measurement>> ReadZeus(const Source& source);

}  // namespace heliostat::profile
