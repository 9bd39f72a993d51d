#include "heliostat/ui/cli/profile_files.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "heliostat/base/core/log.h"
#include "heliostat/base/io/file.h"
#include "heliostat/base/io/text_encoding.h"
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

// Refuses a setting that an earlier file has too.
class Settings {
 public:
  Status Add(const std::vector<profile::Measurement>& rows, const std::string& file) {
    for (const profile::Measurement& row : rows) {
      const auto [at, is_new] = files_.try_emplace(
          {row.model, row.gpu, row.is_training, row.workers, row.batch, row.knob.power_limit_w, row.knob.core_mhz},
          file_);
      if (is_new || at->second == file_) continue;
      return Fail(ErrorCode::kInvalidArgument, row.line > 0 ? fmt::format("{}:{}", file, row.line) : file,
                  fmt::format("{} on {} with {} workers at {} is in an earlier file too", Printable(row.model, 60),
                              Printable(row.gpu, 20), row.workers, KnobText(row.knob)),
                  "each setting in one file");
    }
    ++file_;
    return {};
  }

 private:
  using Key = std::tuple<std::string, std::string, bool, int, int, std::optional<double>, std::optional<double>>;
  std::map<Key, int> files_;
  int file_ = 0;
};

}  // namespace

Result<MeasurementFiles> ReadMeasurementFiles(const std::vector<std::string>& files, const std::string& format,
                                              profile::ReadOptions options) {
  const auto known = AtFlags(profile::ParseFormat(format), {{"format", "--format"}});
  if (!known) return Propagate(known);
  options.format = *known;
  MeasurementFiles all;
  Settings settings;
  for (const std::string& file : files) {
    const auto bytes = io::ReadTextFile(file);
    if (!bytes) return Propagate(bytes);
    const io::DecodedText decoded = io::DecodeText(*bytes);
    const auto reading = AtFlags(profile::Read(decoded.text, file, options), {{"decimal option", "--decimal"}});
    if (!reading) return Propagate(reading);
    if (!reading->skipped.empty()) {
      Log(LogLevel::kWarning, "{}: {} of {} rows skipped; the first: {}", file, reading->skipped.size(),
          reading->skipped.size() + reading->rows.size(), WithFlags(reading->skipped.front().Line()));
    }
    if (const auto bad = settings.Add(reading->rows, file); !bad) return Propagate(bad);
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
