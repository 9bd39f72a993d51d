#include "heliostat/model/workload/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "heliostat/model/workload/job_cells.h"

namespace heliostat::workload {
namespace {

// The delimiter that the first line of a table has most often outside quotes; a comma where none has a lead.
char DelimiterOf(std::string_view text) {
  constexpr std::string_view kDelimiters = ",;\t|";
  std::array<std::size_t, kDelimiters.size()> counts{};
  bool is_quoted = false;
  for (const char c : text.substr(0, text.find('\n', text.find_first_not_of("\r\n")))) {
    if (c == '"') is_quoted = !is_quoted;
    const std::size_t which = kDelimiters.find(c);
    if (!is_quoted && which != std::string_view::npos) ++counts[which];
  }
  return kDelimiters[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
}

}  // namespace

Rows::Rows(std::string_view text, const std::string& file, const TraceOptions& options)
    : file_(file),
      csv_(text, file, {.delimiter = DelimiterOf(text), .is_ragged = options.skips_bad_rows}),
      zone_(options.time_zone.value_or(io::TimeZone::Utc())),
      skips_bad_rows_(options.skips_bad_rows) {
  if (csv_.NextRow()) header_ = csv_.texts();
}

std::size_t Rows::Find(std::string_view column) const {
  const auto found = std::ranges::find(header_, column);
  return found == header_.end() ? kNoColumn : static_cast<std::size_t>(found - header_.begin());
}

bool Rows::Has(std::span<const std::string_view> columns) const {
  return std::ranges::all_of(columns, [&](std::string_view column) { return Find(column) != kNoColumn; });
}

bool Rows::Next() {
  is_row_bad_ = false;
  while (status_ && csv_.NextRow()) {
    if (csv_.size() == header_.size()) return true;
    // Only where bad rows are skipped; otherwise it is an error of the CSV reader.
    bad_.push_back({line(), fmt::format("the row has {} cells, the header {}", csv_.size(), header_.size())});
  }
  return false;
}

std::size_t Rows::Need(std::string_view column) {
  const std::size_t found = Find(column);
  if (found == kNoColumn && status_) {
    status_ = Lacks(fmt::format("has no column '{}'", column), "");
  }
  return found;
}

Status Rows::Lacks(std::string what, const std::string& allowed) const {
  const std::string columns = Printable(fmt::format("{}", fmt::join(header_, ", ")), 120);
  return Fail(ErrorCode::kInvalidArgument, file_, std::move(what),
              fmt::format("its columns are {}{}{}", columns, allowed.empty() ? "" : "; ", allowed));
}

void Rows::EndWith(Status status) {
  if (status_ && !status) status_ = std::move(status);
}

double Rows::Number(std::size_t column, double most) {
  double value = 0.0;
  if (csv_.ReadNumber(column, value) && value >= 0.0 && value <= most) return value;
  Refuse(column, fmt::format("must be a number from 0 to {}", most));
  return 0.0;
}

std::optional<double> Rows::OptionalNumber(std::size_t column, double most) {
  if (column == kNoColumn || Text(column).empty()) return std::nullopt;
  return Number(column, most);
}

Duration Rows::Length(std::size_t column, Duration unit) {
  const auto seconds = static_cast<double>(unit.count());
  return Duration{std::llround(Number(column, static_cast<double>(kCentury / unit)) * seconds)};
}

Instant Rows::Clock(std::size_t column) {
  const auto read = ParseCellTime(Text(column), zone_);
  if (read && read->instant) return *read->instant;
  Refuse(column, "must be a time such as 2017-10-09 07:01:55");
  return {};
}

void Rows::Refuse(std::size_t column, std::string allowed) {
  if (!status_ || is_row_bad_) return;
  std::string what = fmt::format("{} is '{}'", Printable(header_[column], 40), Printable(Text(column), 40));
  if (skips_bad_rows_) {
    is_row_bad_ = true;
    bad_.push_back({line(), std::move(what)});
    return;
  }
  status_ = Fail(ErrorCode::kInvalidArgument, where(), std::move(what), std::move(allowed));
}

}  // namespace heliostat::workload
