#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/measurement.h"

namespace heliostat::profile {

// Zeus' traces of power limits (summary_power_GPU.csv): seconds of an epoch and average draw by model, batch and limit,
// one GPU at work. The file's name says which GPU. Speeds are samples a second, from the size of the data set; where
// optimizers were tried, the one that is faster at the highest limit counts.
Result<std::vector<Measurement>> ReadZeus(std::string_view text, const std::string& file);

}  // namespace heliostat::profile
