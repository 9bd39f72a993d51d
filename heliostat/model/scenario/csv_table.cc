#include "heliostat/model/scenario/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/base/core/check.h"
#include "heliostat/base/core/split.h"

namespace heliostat::scenario {
namespace {

// The largest count accepted; it fits an int.
constexpr double kMostWhole = 1e9;

}  // namespace

std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

CsvTable::CsvTable(std::string_view text, std::string file, std::span<const std::string_view> columns,
                   std::vector<Error>* skipped, CellForm form)
    : csv_(text, file, {.delimiter = form.delimiter}), skipped_(skipped), decimal_(form.decimal) {
  if (csv_.NextRow()) {
    header_ = csv_.texts();
    if (decimal_ != io::DecimalMark::kUnknown) {
      for (std::string& name : header_) name = std::string(Trimmed(name));
    }
    ReadHeader(file, columns);
  } else if (csv_.status()) {
    status_ = Fail(ErrorCode::kInvalidArgument, file, "is empty",
                   fmt::format("a header is needed: {}", fmt::join(columns, ",")));
  } else {
    status_ = csv_.status();
  }
}

void CsvTable::ReadHeader(const std::string& file, std::span<const std::string_view> columns) {
  for (const std::string_view column : columns) {
    const auto count = std::ranges::count(header_, column);
    if (count == 1) continue;
    status_ = count > 1 ? Fail(ErrorCode::kInvalidArgument, file + ":1",
                               fmt::format("two columns are called '{}'", column), "names must differ")
                        : Fail(ErrorCode::kInvalidArgument, file + ":1", fmt::format("there is no column '{}'", column),
                               fmt::format("needed are {}", fmt::join(columns, ",")));
    return;
  }
}

bool CsvTable::NextRow() {
  if (!status_ && is_in_row_ && skipped_ != nullptr) {
    skipped_->push_back(status_.error());
    status_ = {};
  }
  if (!status_) return false;
  is_in_row_ = csv_.NextRow();
  if (!is_in_row_) status_ = csv_.status();
  return is_in_row_;
}

bool CsvTable::HasColumn(std::string_view column) const { return std::ranges::find(header_, column) != header_.end(); }

std::string_view CsvTable::Cell(std::string_view column) const {
  const auto found = std::ranges::find(header_, column);
  Check(found != header_.end(), "the column is not among those given to the table");
  const std::string_view cell = csv_.cell(static_cast<std::size_t>(found - header_.begin()));
  return decimal_ == io::DecimalMark::kUnknown ? cell : Trimmed(cell);
}

void CsvTable::Refuse(std::string_view column, std::string allowed) {
  const std::string_view cell = Cell(column);
  Stop(Fail(ErrorCode::kInvalidArgument, where(),
            cell.empty() ? fmt::format("{} is empty", column) : fmt::format("{} is '{}'", column, Printable(cell, 40)),
            std::move(allowed)));
}

void CsvTable::Stop(Status failed) {
  if (status_) status_ = std::move(failed);
}

std::string CsvTable::Text(std::string_view column) {
  const std::string_view cell = Cell(column);
  if (cell.empty()) Refuse(column, "must not be empty");
  return std::string(cell);
}

std::string CsvTable::TextOrNone(std::string_view column) const {
  return HasColumn(column) ? std::string(Cell(column)) : std::string();
}

std::optional<double> CsvTable::ReadNumber(std::string_view cell) const {
  return decimal_ == io::DecimalMark::kUnknown ? io::ParseNumber(cell) : io::ParseWrittenNumber(cell, decimal_);
}

double CsvTable::Number(std::string_view column) {
  if (const auto value = ReadNumber(Cell(column))) return *value;
  Refuse(column, "must be a number");
  return 0.0;
}

std::optional<double> CsvTable::OptionalNumber(std::string_view column) {
  if (Cell(column).empty()) return std::nullopt;
  return Number(column);
}

int CsvTable::Whole(std::string_view column) {
  const auto value = ReadNumber(Cell(column));
  const bool is_whole = value && std::floor(*value) == *value;
  if (is_whole && std::abs(*value) <= kMostWhole) return static_cast<int>(*value);
  Refuse(column, fmt::format("must be a whole number up to {}", static_cast<int>(kMostWhole)));
  return 0;
}

bool CsvTable::Flag(std::string_view column) {
  const std::string_view cell = Cell(column);
  if (cell != "0" && cell != "1") Refuse(column, "must be 0 or 1");
  return cell == "1";
}

Instant CsvTable::Time(std::string_view column) {
  const auto time = ParseInstant(Cell(column), where());
  if (time) return *time;
  Refuse(column, "must be a time such as 2023-06-01T00:00:00Z");
  return {};
}

std::optional<Instant> CsvTable::OptionalTime(std::string_view column) {
  if (Cell(column).empty()) return std::nullopt;
  return Time(column);
}

}  // namespace heliostat::scenario
