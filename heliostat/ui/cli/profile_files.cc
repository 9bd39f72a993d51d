#include "heliostat/ui/cli/profile_files.h"

#include <fmt/format.h>

#include <set>

#include "heliostat/base/core/log.h"
#include "heliostat/base/io/file.h"
#include "heliostat/model/profile/gpu_facts.h"
#include "heliostat/ui/cli/flags.h"

namespace heliostat::cli {

namespace {

void WarnOfUnknownGpus(const std::vector<profile::Measurement>& rows) {
  std::set<std::string> unknown;
  for (const profile::Measurement& row : rows) {
    if (row.power && !profile::HighestWatts(row.gpu)) unknown.insert(Printable(row.gpu, 20));
  }
  for (const std::string& gpu : unknown) {
    Log(LogLevel::kWarning, "{}: the highest power of this GPU is not known; power is checked only against limits",
        gpu);
  }
}

}  // namespace

Result<MeasurementFiles> ReadMeasurementFiles(const std::vector<std::string>& files, const std::string& format,
                                              profile::ReadOptions options) {
  const auto known = AtFlags(profile::ParseFormat(format), {{"format", "--format"}});
  if (!known) return Propagate(known);
  options.format = *known;
  MeasurementFiles all;
  for (const std::string& file : files) {
    const auto text = io::ReadFile(file);
    if (!text) return Propagate(text);
    const auto reading = AtFlags(profile::Read(*text, file, options), {});
    if (!reading) return Propagate(reading);
    if (!reading->skipped.empty()) {
      Log(LogLevel::kWarning, "{}: {} of {} rows skipped; the first: {}", file, reading->skipped.size(),
          reading->skipped.size() + reading->rows.size(), WithFlags(reading->skipped.front().Line()));
    }
    all.rows.insert(all.rows.end(), reading->rows.begin(), reading->rows.end());
    all.skipped += reading->skipped.size();
  }
  WarnOfUnknownGpus(all.rows);
  return all;
}

std::string PercentText(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

std::string KnobText(const scenario::GpuSetting& knob) {
  if (knob.power_limit_w) return fmt::format("{:.4g} W", *knob.power_limit_w);
  if (knob.core_mhz) return fmt::format("{:.4g} MHz", *knob.core_mhz);
  return "default";
}

}  // namespace heliostat::cli
