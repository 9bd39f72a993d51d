#include "heliostat/ui/cli/profile_files.h"

#include <fmt/format.h>

#include "heliostat/base/io/file.h"
#include "heliostat/model/profile/read.h"
#include "heliostat/ui/cli/flags.h"

namespace heliostat::cli {

Result<std::vector<profile::Measurement>> ReadMeasurementFiles(const std::vector<std::string>& files,
                                                               const std::string& format) {
  const auto known = AtFlags(profile::ParseFormat(format), {{"format", "--format"}});
  if (!known) return Propagate(known);
  std::vector<profile::Measurement> all;
  for (const std::string& file : files) {
    const auto text = io::ReadFile(file);
    if (!text) return Propagate(text);
    const auto rows = profile::ReadMeasurements(*text, file, *known);
    if (!rows) return Propagate(rows);
    all.insert(all.end(), rows->begin(), rows->end());
  }
  return all;
}

std::string PercentText(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

std::string KnobText(const scenario::GpuSetting& knob) {
  if (knob.power_limit_w) return fmt::format("{:.4g} W", *knob.power_limit_w);
  if (knob.core_mhz) return fmt::format("{:.4g} MHz", *knob.core_mhz);
  return "default";
}

}  // namespace heliostat::cli
