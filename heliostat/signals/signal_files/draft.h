#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "heliostat/base/io/csv.h"
#include "heliostat/signals/signal/unit_text.h"
#include "heliostat/signals/signal_files/signal_table.h"
#include "heliostat/signals/signal_files/time_axis.h"

namespace heliostat::signal_files {

// The input of the reader of a format. The header is the current row of the CsvReader.
struct Input {
  std::string file;
  const ReadOptions& options;
  std::vector<std::string> header;
  std::vector<std::string> first_row;  // empty when there is none
  std::size_t expected_rows = 0;       // an estimate from the length of the text
};

// The name without its folders: "raw/AU-NSW_2023.csv" -> "AU-NSW_2023.csv".
std::string BaseName(const std::string& path);
bool ContainsWord(std::string_view text, std::string_view word);  // as a substring, without case

// Rows that cannot be read. Not thread-safe.
class BadRows {
 public:
  void Add(std::int64_t line, Error error);
  std::size_t count() const { return lines_.size(); }
  // Success when there are none, or when they may be skipped and are at most half of all rows. Otherwise the first
  // error with the lines of all.
  Status Judge(const std::string& file, std::size_t rows, bool may_skip) const;

 private:
  std::vector<std::int64_t> lines_;
  std::optional<Error> first_;
};

// The range of a kind. A value outside indicates another unit: the dirtiest plant emits under 2000 g/kWh, and a
// capacity factor is not a percentage.
struct Bounds {
  double low;
  double high;
};
Bounds BoundsOf(signal::Kind kind);

// The currency of a price: the one that its header names, or that of the options. kInvalidArgument when the two differ.
Result<std::optional<Currency>> CurrencyOf(const std::optional<Currency>& stated, const ReadOptions& options,
                                           const std::string& file);

// Refuses a column whose values cannot be in its unit, and names the unit they look like.
Status RefuseImplausible(const signal::UnitReading& unit, const std::optional<Currency>& currency,
                         std::span<const double> cells, const std::string& file, const std::string& column);

// A table under construction: checks every cell against the range of its kind and stores the cells by column. After a
// refusal, status() holds the error. Not thread-safe.
class Draft {
 public:
  Draft(const Input& input, std::string format);

  // Makes the cells at `index` of each row a column. Refuses values outside [low, high]; by default the range of the
  // kind.
  void AddColumn(std::size_t index, std::string name, signal::Meaning meaning);
  void AddColumn(std::size_t index, std::string name, signal::Meaning meaning, double low, double high);
  // Divides the values of the last added column by `divisor` in Finish().
  void DivideLast(double divisor) { columns_.back().divisor = divisor; }
  // Converts the values of the last added column from `unit`, in which its cells and its range are, in Finish().
  void ConvertLast(signal::UnitReading unit);
  std::size_t columns() const { return columns_.size(); }

  // Reads the cells of the current row. False when one is refused: its value is missing, and status() has the reason.
  bool AddCells(const io::CsvReader& csv);
  // Reads the cells of a row at time `t`; times must increase. False when the row or one of its cells is refused.
  bool AddRow(const io::CsvReader& csv, Instant t);
  // The reason of the last refusal. The next row may be added.
  Error TakeRefusal() {
    Error error = status_.error();
    status_ = {};
    return error;
  }
  // Judges the bad rows of a table when all rows are added.
  Status Judge(const BadRows& bad);
  std::size_t width() const { return header_.size(); }

  void Note(std::string note) { table_.notes.push_back(std::move(note)); }
  // Counts a row that has no time of its own.
  void Drop() { ++table_.dropped; }
  void SetPrimary(std::size_t column) { table_.primary = column; }
  const Status& status() const { return status_; }
  const TimeAxis& axis() const { return axis_; }
  const std::vector<double>& cells(std::size_t column) const { return columns_[column].cells; }
  const std::string& file() const { return table_.file; }

  // Ends a table with one row per step. `rows` of the table includes dropped rows. A table of one row needs
  // `only_step`.
  Result<SignalTable> Finish(const io::CsvReader& csv, std::optional<Duration> only_step = std::nullopt);
  // Ends a table of repeated forecasts: row i was issued at `issued[i]` for `target[i]`. Rows of one issue must be
  // consecutive and in order.
  Result<SignalTable> FinishRuns(const io::CsvReader& csv, const std::vector<Instant>& issued,
                                 const std::vector<Instant>& target, Duration step);

 private:
  struct Filling {
    std::size_t index;
    std::string name;
    signal::Meaning meaning;
    double low;
    double high;
    double divisor = 1;
    std::optional<signal::UnitReading> unit{};  // of the cells, where it is not that of the meaning
    std::vector<double> cells{};
  };

  Status Convert(Filling& column);
  bool RefuseCell(const io::CsvReader& csv, const Filling& column, std::string_view text, double value);

  SignalTable table_;
  TimeAxis axis_;
  std::size_t expected_rows_;
  std::vector<std::string> header_;
  bool may_skip_;      // bad rows
  bool trusts_units_;  // the caller has stated the unit
  std::vector<Filling> columns_;
  Status status_;
};

// The error for a row with another number of cells than the header.
Error WrongWidth(const io::CsvReader& csv, std::size_t width);

// Reads all rows. `time_of(csv) -> Result<std::optional<Instant>>` returns the time of the row, or std::nullopt for a
// row to drop.
template <typename TimeOf>
Result<SignalTable> ReadRows(io::CsvReader& csv, Draft& draft, TimeOf&& time_of,
                             std::optional<Duration> only_step = std::nullopt) {
  BadRows bad;
  while (csv.NextRow()) {
    if (csv.size() != draft.width()) {
      bad.Add(csv.line(), WrongWidth(csv, draft.width()));
      draft.Drop();
      continue;
    }
    const Result<std::optional<Instant>> t = time_of(csv);
    if (!t) bad.Add(csv.line(), t.error());
    if (!t || !*t) {
      draft.Drop();
      continue;
    }
    if (!draft.AddRow(csv, **t)) bad.Add(csv.line(), draft.TakeRefusal());
  }
  if (const auto refused = draft.Judge(bad); !refused) return Propagate(refused);
  return draft.Finish(csv, only_step);
}

// The cell as an ISO time; UTC unless it contains an offset.
Result<std::optional<Instant>> UtcCell(const io::CsvReader& csv, std::size_t index);
// The error for a cell that is not a time in the form `wanted`.
tl::unexpected<Error> NotATime(const io::CsvReader& csv, std::string_view text, std::string_view wanted);

}  // namespace heliostat::signal_files
