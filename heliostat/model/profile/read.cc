#include "heliostat/model/profile/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heliostat/model/profile/check_rows.h"
#include "heliostat/model/profile/read_gavel.h"
#include "heliostat/model/profile/read_mlenergy.h"
#include "heliostat/model/profile/read_perseus.h"
#include "heliostat/model/profile/read_rtx.h"
#include "heliostat/model/profile/read_table.h"
#include "heliostat/model/profile/read_zeus.h"

namespace heliostat::profile {
namespace {

struct Known {
  Format format;
  std::string_view name;
  std::string_view telling;  // a column that no other format has; a second one after a comma
  Result<std::vector<Measurement>> (*read)(const Source& source);
};
constexpr std::array<Known, 6> kFormats{{
    {Format::kZeus, "zeus", "time_per_epoch", ReadZeus},
    {Format::kPerseus, "perseus", "instruction,power_limit_0,iter_time_s", ReadPerseus},
    {Format::kRtx, "rtx", "power_cap_w", ReadRtx},
    {Format::kMlEnergy, "mlenergy", "max_num_seqs,Avg TPOT (s)", ReadMlEnergy},
    {Format::kGavel, "gavel", "steps_per_s", ReadGavel},
    {Format::kTable, "table", "samples_per_s,requests_per_s", ReadTable},
}};
constexpr std::string_view kNames = "zeus, perseus, rtx, mlenergy, gavel or table";

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

namespace {

Result<const Known*> FormatOf(const Source& source) {
  const bool has_names = source.options.columns != TableColumns{};
  const std::optional<Format> format = has_names ? Format::kTable : source.options.format;
  const auto fits = [&](const Known& known) {
    return format ? known.format == *format : HasOneOf(source.header(), known.telling);
  };
  const auto found = std::ranges::find_if(kFormats, fits);
  if (found != kFormats.end()) return &*found;
  return Fail(ErrorCode::kInvalidArgument, source.file, "is not a known table of measurements",
              fmt::format("a file of {}; heliostat profile import takes in others whose columns are named with option "
                          "'model-column', option 'throughput-column', option 'power-column' and so on",
                          kNames));
}

// Rows of ML.ENERGY and of measured frontiers differ in columns that are not read.
bool MayRepeat(const Known& known, const Source& source) {
  return known.format == Format::kMlEnergy || source.header().find("iter_time_s") != std::string_view::npos;
}

Status RefuseWorkers(const Source& source, const std::vector<Measurement>& rows) {
  const auto& given = source.options.workers;
  for (const Measurement& row : rows) {
    if (!given || row.workers == *given) continue;
    return Fail(ErrorCode::kInvalidArgument, source.file,
                fmt::format("has rows of {} workers, but option 'workers' is {}", row.workers, *given),
                "leave the option out where the file states the workers");
  }
  return {};
}

// Takes the rows with flaws out; fails with the first if rows may not be skipped.
Status RemoveFlaws(const Source& source, bool may_repeat, Reading& reading) {
  // Without an odd row, its neighbours are compared with others.
  for (auto flaws = FlawsOf(reading.rows, source.file, may_repeat); !flaws.empty();
       flaws = FlawsOf(reading.rows, source.file, may_repeat)) {
    if (source.skipped == nullptr) return tl::unexpected<Error>(flaws.front().error);
    std::vector<bool> is_bad(reading.rows.size(), false);
    for (Flaw& flaw : flaws) {
      if (is_bad[flaw.row]) continue;
      is_bad[flaw.row] = true;
      reading.skipped.push_back(std::move(flaw.error));
    }
    std::size_t index = 0;
    std::erase_if(reading.rows, [&](const Measurement&) { return is_bad[index++]; });
  }
  return {};
}

}  // namespace

Result<Reading> Read(std::string_view text, const std::string& file, const ReadOptions& options) {
  Reading reading;
  const io::TableSample sample = io::FindDelimiter(text);
  const Source source{text, file, options, sample, options.skips_bad_rows ? &reading.skipped : nullptr};
  const auto known = FormatOf(source);
  if (!known) return Propagate(known);
  auto rows = (*known)->read(source);
  if (!rows) return Propagate(rows);
  reading.rows = *std::move(rows);
  if (const auto bad = RefuseWorkers(source, reading.rows); !bad) return Propagate(bad);
  if (const auto bad = RemoveFlaws(source, MayRepeat(**known, source), reading); !bad) return Propagate(bad);
  if (reading.rows.empty()) return Fail(ErrorCode::kInvalidArgument, file, "has no usable row", "at least one");
  return reading;
}

Result<std::vector<Measurement>> ReadMeasurements(std::string_view text, const std::string& file,
                                                  std::optional<Format> format) {
  auto reading = Read(text, file, {.format = format});
  if (!reading) return Propagate(reading);
  return std::move(reading->rows);
}

}  // namespace heliostat::profile
