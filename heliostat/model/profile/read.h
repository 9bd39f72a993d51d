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
// Accepts "zeus", "perseus", "rtx", "mlenergy" and "gavel". Nothing for "auto".
Result<std::optional<Format>> ParseFormat(std::string_view name);

// Reads any known table of measurements. Without a format, the header determines it. `file` is used in messages, and by
// formats that have the model or GPU in the file name. Fails on a table without usable rows.
Result<std::vector<Measurement>> ReadMeasurements(std::string_view text, const std::string& file,
                                                  std::optional<Format> format = std::nullopt);

}  // namespace heliostat::profile
