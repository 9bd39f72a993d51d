#include "heliostat/model/profile/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heliostat/model/profile/read_gavel.h"
#include "heliostat/model/profile/read_mlenergy.h"
#include "heliostat/model/profile/read_perseus.h"
#include "heliostat/model/profile/read_rtx.h"
#include "heliostat/model/profile/read_zeus.h"

namespace heliostat::profile {
namespace {

struct Known {
  Format format;
  std::string_view name;
  std::string_view telling;  // a column that no other format has; a second one after a comma
  Result<std::vector<Measurement>> (*read)(std::string_view text, const std::string& file);
};
constexpr std::array<Known, 5> kFormats{{
    {Format::kZeus, "zeus", "time_per_epoch", ReadZeus},
    {Format::kPerseus, "perseus", "instruction,power_limit_0,iter_time_s", ReadPerseus},
    {Format::kRtx, "rtx", "power_cap_w", ReadRtx},
    {Format::kMlEnergy, "mlenergy", "max_num_seqs,Avg TPOT (s)", ReadMlEnergy},
    {Format::kGavel, "gavel", "steps_per_s", ReadGavel},
}};
constexpr std::string_view kNames = "zeus, perseus, rtx, mlenergy or gavel";

bool HasOneOf(std::string_view header, std::string_view columns) {
  while (!columns.empty()) {
    const std::size_t end = std::min(columns.find(','), columns.size());
    if (header.find(columns.substr(0, end)) != std::string_view::npos) return true;
    columns.remove_prefix(std::min(end + 1, columns.size()));
  }
  return false;
}

}  // namespace

std::string_view NameOf(Format format) { return std::ranges::find(kFormats, format, &Known::format)->name; }

Result<std::optional<Format>> ParseFormat(std::string_view name) {
  if (name == "auto") return std::optional<Format>();
  const auto found = std::ranges::find(kFormats, name, &Known::name);
  if (found != kFormats.end()) return std::optional<Format>(found->format);
  return Fail(ErrorCode::kInvalidArgument, "format", fmt::format("'{}' is not a format", Printable(name, 40)),
              fmt::format("auto, {}", kNames));
}

Result<std::vector<Measurement>> ReadMeasurements(std::string_view text, const std::string& file,
                                                  std::optional<Format> format) {
  const std::string_view header = text.substr(0, text.find('\n'));
  const auto fits = [&](const Known& known) {
    return format ? known.format == *format : HasOneOf(header, known.telling);
  };
  const auto found = std::ranges::find_if(kFormats, fits);
  if (found == kFormats.end()) {
    return Fail(ErrorCode::kInvalidArgument, file, "is not a known table of measurements",
                fmt::format("a file of {}", kNames));
  }
  auto rows = found->read(text, file);
  if (rows && rows->empty()) return Fail(ErrorCode::kInvalidArgument, file, "has no usable row", "at least one");
  return rows;
}

}  // namespace heliostat::profile
