#include "heliostat/model/workload/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/model/workload/job_cells.h"

namespace heliostat::workload {
Rows::Rows(std::string_view text, const std::string& file, const TraceOptions& options)
    : file_(file),
      sample_(io::FindDelimiter(text)),
      csv_(text, file, {.delimiter = sample_.delimiter, .is_ragged = options.skips_bad_rows}),
      zone_(options.time_zone.value_or(io::TimeZone::Utc())),
      skips_bad_rows_(options.skips_bad_rows) {
  if (csv_.NextRow()) header_ = csv_.texts();
  for (std::string& name : header_) name = std::string(Trimmed(name));
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

void Rows::FindDecimal(std::span<const std::size_t> columns, const std::string& wanted) {
  const auto found = wanted.empty() ? io::FindDecimal(sample_, columns, file_, "job-decimal")
                                    : io::ParseDecimal(wanted, "job-decimal option");
  if (found) decimal_ = *found;
  if (!found) EndWith(Propagate(found));
}

void Rows::FindDateOrder(std::span<const std::size_t> columns, const std::string& wanted) {
  const auto named = io::ParseDateOrder(wanted);
  if (!named) EndWith(Propagate(named));
  bool has_late_day = false;  // a day that cannot be a month
  bool has_late_month = false;
  for (std::size_t i = 1; i < sample_.rows.size(); ++i) {
    for (const std::size_t column : columns) {
      if (column >= sample_.rows[i].size()) continue;
      const bool month_first = io::ParseWrittenTime(sample_.rows[i][column], io::DateOrder::kMonthFirst).has_value();
      const bool day_first = io::ParseWrittenTime(sample_.rows[i][column], io::DateOrder::kDayFirst).has_value();
      has_late_day |= day_first && !month_first;
      has_late_month |= month_first && !day_first;
    }
  }
  if (has_late_day && !has_late_month) date_order_ = io::DateOrder::kDayFirst;
  if (named && *named != io::DateOrder::kUnknown) date_order_ = *named;
}

double Rows::Number(std::size_t column, double most) {
  double value = 0.0;
  const bool is_plain = decimal_ == io::DecimalMark::kPoint && csv_.ReadNumber(column, value);
  const auto read = is_plain ? std::optional(value) : io::ParseWrittenNumber(Text(column), decimal_);
  if (read && *read >= 0.0 && *read <= most) return *read;
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
  const auto read = ParseCellTime(Text(column), zone_, decimal_, date_order_);
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
