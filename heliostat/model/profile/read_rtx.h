#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/source.h"

namespace heliostat::profile {

// Reads sweeps of power caps on consumer cards that serve language models (gpu,model,engine,load_mode,power_cap_w,…). A
// request is one token of the narrative prompts.
Result<std::vector<Measurement>> ReadRtx(const Source& source);

}  // namespace heliostat::profile
