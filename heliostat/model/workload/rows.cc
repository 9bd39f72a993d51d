#include "heliostat/model/workload/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heliostat::workload {
Rows::Rows(std::string_view text, const std::string& file) : file_(file), csv_(text, file) {
  if (csv_.NextRow()) header_ = csv_.texts();
}

std::size_t Rows::Find(std::string_view column) const {
  const auto found = std::ranges::find(header_, column);
  return found == header_.end() ? kNoColumn : static_cast<std::size_t>(found - header_.begin());
}

bool Rows::Has(std::span<const std::string_view> columns) const {
  return std::ranges::all_of(columns, [&](std::string_view column) { return Find(column) != kNoColumn; });
}

std::size_t Rows::Need(std::string_view column) {
  const std::size_t found = Find(column);
  if (found == kNoColumn && status_) {
    status_ = Fail(ErrorCode::kInvalidArgument, file_, fmt::format("has no column '{}'", column),
                   fmt::format("its columns are {}", Printable(fmt::format("{}", fmt::join(header_, ", ")), 120)));
  }
  return found;
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

std::chrono::local_seconds Rows::Clock(std::size_t column) {
  const auto read = ParseIsoTime(Text(column));
  if (read && read->utc_offset) return read->local - *read->utc_offset;
  if (read) return read->local;
  Refuse(column, "must be a time such as 2017-10-09 07:01:55");
  return {};
}

void Rows::Refuse(std::size_t column, std::string allowed) {
  if (!status_) return;
  const std::string what = fmt::format("{} is '{}'", header_[column], Printable(Text(column), 40));
  status_ = Fail(ErrorCode::kInvalidArgument, where(), what, std::move(allowed));
}

}  // namespace heliostat::workload
