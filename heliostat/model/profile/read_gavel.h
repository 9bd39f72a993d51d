#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/source.h"

namespace heliostat::profile {

// Reads Gavel's isolated throughputs (gpu,job_type,scale_factor,steps_per_s): speeds without power, in samples per
// second where the job type has a batch, else in steps per second. Leaves out rows with speed 0 (did not fit) and runs
// over several servers ("_unconsolidated").
Result<std::vector<Measurement>> ReadGavel(const Source& source);

}  // namespace heliostat::profile
