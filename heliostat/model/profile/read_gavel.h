#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/measurement.h"

namespace heliostat::profile {

// Gavel's isolated throughputs (gpu,job_type,scale_factor,steps_per_s): speeds alone, in samples a second where the job
// type says its batch, else in steps. Zero means that it did not fit; such rows, and runs spread over servers
// ("_unconsolidated"), are left out.
Result<std::vector<Measurement>> ReadGavel(std::string_view text, const std::string& file);

}  // namespace heliostat::profile
