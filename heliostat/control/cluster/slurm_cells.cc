#include "heliostat/control/cluster/slurm_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/number.h"

namespace heliostat::cluster {
namespace {

struct StateRow {
  std::string_view name;
  WrittenState state;
};

// Those of releases 22.05 to 26.05.
constexpr std::array kStates{
    StateRow{"PENDING", {JobState::kWaiting, {}}},
    StateRow{"REQUEUED", {JobState::kWaiting, {}}},
    StateRow{"REQUEUE_FED", {JobState::kWaiting, {}}},
    StateRow{"REQUEUE_HOLD", {JobState::kHeld, {}}},
    StateRow{"SPECIAL_EXIT", {JobState::kHeld, {}}},
    StateRow{"RESV_DEL_HOLD", {JobState::kHeld, {}}},
    StateRow{"CONFIGURING", {JobState::kStarting, {}}},
    StateRow{"POWER_UP_NODE", {JobState::kStarting, {}}},
    StateRow{"RUNNING", {JobState::kRunning, {}}},
    StateRow{"RESIZING", {JobState::kRunning, {}}},
    StateRow{"SIGNALING", {JobState::kRunning, {}}},
    StateRow{"SUSPENDED", {JobState::kSuspended, {}}},
    StateRow{"STOPPED", {JobState::kSuspended, {}}},
    StateRow{"COMPLETING", {JobState::kCompleting, {}}},
    StateRow{"STAGE_OUT", {JobState::kCompleting, {}}},
    StateRow{"COMPLETED", {JobState::kEnded, JobEnd::kCompleted}},
    StateRow{"FAILED", {JobState::kEnded, JobEnd::kFailed}},
    StateRow{"OUT_OF_MEMORY", {JobState::kEnded, JobEnd::kFailed}},
    StateRow{"BOOT_FAIL", {JobState::kEnded, JobEnd::kNodeFailure}},
    StateRow{"LAUNCH_FAILED", {JobState::kEnded, JobEnd::kNodeFailure}},
    StateRow{"RECONFIG_FAIL", {JobState::kEnded, JobEnd::kNodeFailure}},
    StateRow{"NODE_FAIL", {JobState::kEnded, JobEnd::kNodeFailure}},
    StateRow{"CANCELLED", {JobState::kEnded, JobEnd::kCancelled}},
    StateRow{"REVOKED", {JobState::kEnded, JobEnd::kOther}},
    StateRow{"DEADLINE", {JobState::kEnded, JobEnd::kTimeLimit}},
    StateRow{"TIMEOUT", {JobState::kEnded, JobEnd::kTimeLimit}},
    StateRow{"PREEMPTED", {JobState::kEnded, JobEnd::kPreempted}},
};

}  // namespace

std::string_view Present(std::string_view cell) {
  for (const std::string_view none : {"(null)", "N/A", "n/a", "NONE", "None", "none"}) {
    if (cell == none) return {};
  }
  return cell;
}

std::string_view ValueOf(std::string_view line, std::string_view key) {
  for (std::size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
    const std::size_t value = at + key.size();
    if ((at != 0 && line[at - 1] != ' ') || value >= line.size() || line[value] != '=') continue;
    return line.substr(value + 1, line.find(' ', value) - value - 1);
  }
  return {};
}

std::vector<std::string> ParseList(std::string_view cell) {
  cell = Present(cell);
  if (cell.empty()) return {};
  std::vector<std::string> parts = SplitAtCommas(cell);
  std::erase(parts, "");
  return parts;
}

std::optional<std::int64_t> ParseWhole(std::string_view cell) {
  if (cell.empty() || cell.size() > 18) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : cell) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<Instant> ParseEpoch(std::string_view cell) {
  // Until the year 9999, so that every time can be written.
  constexpr std::int64_t kLast = 253'402'300'799;
  const auto seconds = ParseWhole(cell);
  if (!seconds || *seconds == 0 || *seconds > kLast) return std::nullopt;
  return Instant(Duration(*seconds));
}

std::optional<Duration> ParseLimit(std::string_view cell) {
  std::int64_t days = 0;
  const std::size_t dash = cell.find('-');
  if (dash != std::string_view::npos) {
    const auto written = io::ParseInteger(cell.substr(0, dash));
    if (!written || *written < 0) return std::nullopt;
    days = *written;
    cell.remove_prefix(dash + 1);
  }
  std::vector<std::int64_t> parts;
  while (true) {
    const std::size_t colon = cell.find(':');
    const auto part = io::ParseInteger(cell.substr(0, colon));
    if (!part || *part < 0) return std::nullopt;
    parts.push_back(*part);
    if (colon == std::string_view::npos) break;
    cell.remove_prefix(colon + 1);
  }
  if (parts.size() > 3) return std::nullopt;
  // After days hours come first, without days the last part is seconds; one part alone is minutes.
  if (dash != std::string_view::npos)
    parts.resize(3, 0);
  else if (parts.size() == 1)
    parts = {0, parts[0], 0};
  else if (parts.size() == 2)
    parts = {0, parts[0], parts[1]};
  return Duration(days * 86400 + parts[0] * 3600 + parts[1] * 60 + parts[2]);
}

std::optional<Duration> ParseConfiguredTime(std::string_view value) {
  const std::size_t blank = value.find(' ');
  const std::string_view unit = blank == std::string_view::npos ? "" : value.substr(blank + 1);
  if (unit == "sec" || unit == "min") {
    const auto number = io::ParseInteger(value.substr(0, blank));
    if (!number || *number < 0) return std::nullopt;
    return Duration(std::int64_t{*number} * (unit == "min" ? 60 : 1));
  }
  return value.find(':') == std::string_view::npos ? std::nullopt : ParseLimit(value);
}

std::optional<JobNumber> ParseJobNumber(std::string_view cell) {
  const std::size_t sign = cell.find_first_of("_+");
  const auto number = ParseWhole(cell.substr(0, sign));
  if (!number) return std::nullopt;
  if (sign == std::string_view::npos) return JobNumber{*number, {}, {}};
  const auto index = io::ParseInteger(cell.substr(sign + 1));
  if (!index || *index < 0) return std::nullopt;
  return cell[sign] == '_' ? JobNumber{*number, *index, {}} : JobNumber{*number, {}, *index};
}

WrittenState ParseState(std::string_view cell) {
  const std::string_view word = cell.substr(0, cell.find(' '));  // "CANCELLED by 1000"
  const auto* const found =
      std::find_if(kStates.begin(), kStates.end(), [&](const StateRow& row) { return row.name == word; });
  return found == kStates.end() ? WrittenState{} : found->state;
}

std::vector<std::string> ParseDependencies(std::string_view cell) {
  std::vector<std::string> dependencies;
  cell = Present(cell);
  while (!cell.empty()) {
    const std::size_t end = std::min(cell.find_first_of(",?"), cell.size());
    const std::string_view one = cell.substr(0, std::min(cell.find('('), end));
    if (!one.empty()) dependencies.emplace_back(one);
    cell.remove_prefix(std::min(end + 1, cell.size()));
  }
  return dependencies;
}

Result<const std::vector<std::string_view>*> RowReader::Next() {
  if (text_.empty()) return nullptr;
  ++number_;
  row_.clear();
  for (std::size_t column = 0; column < columns_; ++column) {
    const std::size_t end = text_.find(separator_);
    if (end == std::string_view::npos) {
      return Fail(ErrorCode::kCorrupt, fmt::format("row {}", number_),
                  fmt::format("breaks off after {} of {} cells", column, columns_));
    }
    row_.push_back(text_.substr(0, end));
    text_.remove_prefix(end + separator_.size());
  }
  if (text_.empty() || text_.front() != '\n') {
    return Fail(ErrorCode::kCorrupt, fmt::format("row {}", number_), fmt::format("has more than {} cells", columns_));
  }
  text_.remove_prefix(1);
  return &row_;
}

Result<Rows> SplitRows(std::string_view text, std::string_view separator, std::size_t columns) {
  RowReader reader(text, separator, columns);
  Rows rows;
  while (true) {
    const auto row = reader.Next();
    if (!row) return Propagate(row);
    if (*row == nullptr) return rows;
    rows.push_back(**row);
  }
}

}  // namespace heliostat::cluster
