#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/measurement.h"

namespace heliostat::cli {

// The measurements of all files, in their order. `format` is the value of --format. Fails at the first file that cannot
// be read.
Result<std::vector<profile::Measurement>> ReadMeasurementFiles(const std::vector<std::string>& files,
                                                               const std::string& format);

// "12.3 %" for 0.123.
std::string PercentText(double share);
// "300 W", "1410 MHz" or "default".
std::string KnobText(const scenario::GpuSetting& knob);

}  // namespace heliostat::cli
