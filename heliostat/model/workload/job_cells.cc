#include "heliostat/model/workload/job_cells.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/number.h"
#include "heliostat/model/workload/rows.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;

// "02", "2" or "02.500" as a number of at most `most`. Digits and one point only.
std::optional<double> ClockPart(std::string_view text, double most) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.'; };
  if (text.empty() || text.size() > 12 || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  const auto value = io::ParseNumber(text);
  return value && *value <= most ? value : std::nullopt;
}

// "[D-]HH:MM:SS" and its shorter forms, in seconds. After days the first part is hours; without days a text of two
// parts is minutes and seconds, as Slurm writes it.
std::optional<double> ClockSeconds(std::string_view text) {
  double seconds = 0.0;
  const std::size_t dash = text.find('-');
  const bool has_days = dash != std::string_view::npos;
  if (has_days) {
    const auto days = ClockPart(text.substr(0, dash), 36600.0);
    if (!days) return std::nullopt;
    seconds = *days * 86400.0;
    text.remove_prefix(dash + 1);
  }
  std::array<double, 3> parts{};
  std::size_t count = 0;
  for (;; ++count) {
    if (count == parts.size()) return std::nullopt;
    const std::size_t colon = text.find(':');
    const bool is_first = count == 0;
    const auto part = ClockPart(text.substr(0, colon), is_first ? 1e6 : 60.0);
    if (!part) return std::nullopt;
    parts[count] = *part;
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  ++count;
  if (!has_days && count == 1) return std::nullopt;  // a plain number
  const double first_unit = has_days || count == 3 ? 3600.0 : 60.0;
  double unit = first_unit;
  for (std::size_t i = 0; i < count; ++i, unit /= 60.0) seconds += parts[i] * unit;
  return seconds;
}

}  // namespace

bool IsAbsent(std::string_view cell) {
  constexpr std::array<std::string_view, 10> kWords{"",    "-",    "unknown", "none", "n/a",
                                                    "nan", "null", "invalid", "na",   "unlimited"};
  std::string lower;
  for (const char c : Trimmed(cell)) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::ranges::find(kWords, lower) != kWords.end();
}

std::optional<Duration> ParseLength(std::string_view cell, Seconds unit, io::DecimalMark decimal) {
  const std::string_view text = Trimmed(cell);
  std::optional<double> seconds = io::ParseWrittenNumber(text, decimal);
  if (seconds) *seconds *= unit.count();
  if (!seconds) seconds = ClockSeconds(text);
  if (!seconds) {
    const auto written = ParseDuration(text, "cell");
    return written ? std::optional(*written) : std::nullopt;
  }
  if (*seconds < 0.0 || *seconds > static_cast<double>(kCentury.count())) return std::nullopt;
  return Duration{std::llround(*seconds)};
}

std::optional<CellTime> ParseCellTime(std::string_view cell, const io::TimeZone& zone, io::DecimalMark decimal,
                                      io::DateOrder order) {
  const std::string_view text = Trimmed(cell);
  if (const auto number = io::ParseWrittenNumber(text, decimal)) return CellTime{std::nullopt, *number};
  const auto read = io::ParseWrittenTime(text, order);
  if (!read) return std::nullopt;
  CellTime time{.depends_on_order = read->depends_on_order, .depends_on_zone = !read->utc_offset};
  if (read->utc_offset) {
    time.instant = Instant{(read->local - *read->utc_offset).time_since_epoch()};
    return time;
  }
  time.instant = zone.ToUtc(read->local).first;
  if (!time.instant) time.instant = zone.ToUtc(read->local + 1h).first;
  return time;
}

std::optional<double> ParseGpus(std::string_view cell, io::DecimalMark decimal) {
  const std::string_view text = Trimmed(cell);
  if (const auto number = io::ParseWrittenNumber(text, decimal)) return *number >= 0.0 ? number : std::nullopt;
  const bool is_list = text.find('=') != std::string_view::npos || text.find("gpu") != std::string_view::npos;
  if (!is_list) return std::nullopt;
  // Slurm lists the sum and then each kind: gres/gpu=4,gres/gpu:a100=4.
  std::optional<double> sum;
  double kinds = 0.0;
  for (const std::string& part : SplitAtCommas(text)) {
    std::string_view one = part;
    if (one.starts_with("gres/")) one.remove_prefix(5);
    if (!one.starts_with("gpu")) continue;
    const std::size_t mark = one.find_last_of("=:");
    const auto count = mark == std::string_view::npos ? std::optional(1.0) : io::ParseNumber(one.substr(mark + 1));
    if (!count || *count < 0.0) return std::nullopt;
    const bool is_sum = one.find(':') == std::string_view::npos && mark != std::string_view::npos;
    if (is_sum) {
      sum = *count;
    } else {
      kinds += *count;
    }
  }
  return sum.value_or(kinds);
}

}  // namespace heliostat::workload
