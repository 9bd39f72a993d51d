#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/measurement.h"

namespace heliostat::profile {

// Sweeps of power caps on consumer cards serving language models (gpu,model,engine,load_mode,power_cap_w,…): a request
// is a token, of the narrative prompts.
Result<std::vector<Measurement>> ReadRtx(std::string_view text, const std::string& file);

}  // namespace heliostat::profile
