#pragma once

#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/source.h"

namespace heliostat::profile {

// Reads a table in any layout by the names of its columns: those that the user gives or, where there is no name, those
// of the profile tables that write_profiles.h writes. Needed are the model, the GPU, the number of workers, the
// throughput and the power; the user may give the first three for the whole file. A table with a latency is about
// serving, on one GPU. The limit, the clock and the batch are optional, and so are the origin and the errors of a row.
Result<std::vector<Measurement>> ReadTable(const Source& source);

}  // namespace heliostat::profile
