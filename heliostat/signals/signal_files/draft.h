#pragma once

#include <limits>
#include <string>
#include <vector>

#include "heliostat/base/io/csv.h"
#include "heliostat/signals/signal_files/signal_table.h"
#include "heliostat/signals/signal_files/time_axis.h"

namespace heliostat::signal_files {

// What a format's reader is given. The header is csv's current row.
struct Input {
  std::string file;
  const ReadOptions& options;
  std::vector<std::string> header;
  std::vector<std::string> first_row;  // empty when there is none
  std::size_t expected_rows = 0;       // a guess from the text's length
};

// Names without folder: "raw/AU-NSW_2023.csv" -> "AU-NSW_2023.csv".
std::string BaseName(const std::string& path);
bool ContainsWord(std::string_view text, std::string_view word);  // letters' case does not matter

// A table while its rows are read: checks every cell against what its kind
// allows and keeps the cells by column.
class Draft {
 public:
  Draft(const Input& input, std::string format);

  // The header's cell `index` becomes a column. Refuses values outside
  // [low, high]; bounds of the kind apply unless given.
  void AddColumn(std::size_t index, std::string name, signal::Meaning meaning);
  void AddColumn(std::size_t index, std::string name, signal::Meaning meaning, double low, double high);
  // Divides the column added last by `divisor` when all is read.
  void DivideLast(double divisor) { columns_.back().divisor = divisor; }
  std::size_t columns() const { return columns_.size(); }

  // Reads the row's cells. False when one is refused; status() says which and why.
  bool AddCells(const io::CsvReader& csv);
  // Reads the cells of a row that belongs to time `t`.
  bool AddRow(const io::CsvReader& csv, Instant t);

  void Note(std::string note) { table_.notes.push_back(std::move(note)); }
  void Drop() { ++table_.dropped; }
  void SetPrimary(std::size_t column) { table_.primary = column; }
  const Status& status() const { return status_; }
  const TimeAxis& axis() const { return axis_; }
  const std::vector<double>& cells(std::size_t column) const { return columns_[column].cells; }
  const std::string& file() const { return table_.file; }

  // A table of one row per step. `rows` of the file include dropped ones.
  Result<SignalTable> Finish(const io::CsvReader& csv, std::optional<Duration> only_step = std::nullopt);
  // A table of repeated forecasts: row i was issued at `issued[i]` for `target[i]`.
  // Rows of one issue stand together and in order.
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
    std::vector<double> cells;
  };

  bool RefuseCell(const io::CsvReader& csv, const Filling& column, std::string_view text, double value);

  SignalTable table_;
  TimeAxis axis_;
  std::size_t expected_rows_;
  std::vector<Filling> columns_;
  Status status_;
};

// Reads all rows with `time_of(csv) -> Result<std::optional<Instant>>`: the row's time, nothing for a row to drop.
template <typename TimeOf>
Result<SignalTable> ReadRows(io::CsvReader& csv, Draft& draft, TimeOf&& time_of,
                             std::optional<Duration> only_step = std::nullopt) {
  while (csv.NextRow()) {
    const Result<std::optional<Instant>> t = time_of(csv);
    if (!t) return Propagate(t);
    if (!*t) {
      draft.Drop();
      continue;
    }
    if (!draft.AddRow(csv, **t)) return Propagate(draft.status());
  }
  return draft.Finish(csv, only_step);
}

// An ISO time that is UTC unless it carries an offset of its own.
Result<std::optional<Instant>> UtcCell(const io::CsvReader& csv, std::size_t index);
tl::unexpected<Error> NotATime(const io::CsvReader& csv, std::string_view text, std::string_view wanted);

}  // namespace heliostat::signal_files
