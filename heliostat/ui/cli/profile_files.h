#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/measurement.h"

namespace heliostat::cli {

// What all files together hold, in their order. `format` is as --format takes it.
Result<std::vector<profile::Measurement>> ReadMeasurementFiles(const std::vector<std::string>& files,
                                                               const std::string& format);

// "12.3 %" of 0.123.
std::string PercentText(double share);
// "300 W", "1410 MHz" or "default".
std::string KnobText(const scenario::GpuSetting& knob);

}  // namespace heliostat::cli
