#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/model/profile/read.h"

namespace heliostat::cli {

// The measurements of all files, in their order. `format` is the value of --format and replaces that of `options`.
// Warns of rows that were skipped and of GPUs whose highest power is not known. Fails at the first file that cannot be
// read.
struct MeasurementFiles {
  std::vector<profile::Measurement> rows;
  std::size_t skipped = 0;
};
Result<MeasurementFiles> ReadMeasurementFiles(const std::vector<std::string>& files, const std::string& format,
                                              profile::ReadOptions options = {});

// "12.3 %" for 0.123.
std::string PercentText(double share);
// "300 W", "1410 MHz" or "default".
std::string KnobText(const scenario::GpuSetting& knob);

}  // namespace heliostat::cli
