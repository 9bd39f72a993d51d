#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/measurement.h"

namespace heliostat::profile {

enum class Format { kZeus, kPerseus, kRtx, kMlEnergy, kGavel };

std::string_view NameOf(Format format);
// "zeus", "perseus", "rtx", "mlenergy" or "gavel"; nothing for "auto".
Result<std::optional<Format>> ParseFormat(std::string_view name);

// Any known table of measurements. Without a format, the header tells. `file` is for messages, and for what some
// formats keep in the name. Refuses what has no rows.
Result<std::vector<Measurement>> ReadMeasurements(std::string_view text, const std::string& file,
                                                  std::optional<Format> format = std::nullopt);

}  // namespace heliostat::profile
