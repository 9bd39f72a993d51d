#pragma once

#include <string>
#include <vector>

#include "heliostat/signals/signal_files/table_layout.h"

namespace heliostat::signal_files {

// Which columns of a table hold the times of its rows. A plain value type.
struct TimeColumns {
  std::size_t date = 0;  // or a column with date and time
  std::optional<std::size_t> of_day{};
  bool counts_periods = false;  // `of_day` has the number of an hour or period of the day
  // Month and year, when `date` has only the day of the month. Without a column, the year is `given_year`.
  std::optional<std::size_t> year{};
  std::optional<std::size_t> month{};
  std::string given_year{};
  std::optional<std::size_t> part{};  // the number of the quarter of an hour or of a shorter part
  std::optional<std::size_t> zone{};  // "CEST"
  bool ends_interval = false;         // labels mark the end of their interval
  std::string name{};                 // "Date" or "Date+Hour"

  bool Uses(std::size_t column) const;
};

// Finds the columns of times: those that the options name, else the best by name and content. kInvalidArgument names
// the option that a user must set.
Result<TimeColumns> FindTimes(const TableLayout& layout, const std::string& file, const TableOptions& options);

// The cells of a row that make its time.
struct TimeCells {
  std::string date;
  std::string of_day;
  std::string part;
  std::int64_t line = 0;
};
// Joins the cells of a row.
TimeCells CellsOf(const TimeColumns& columns, const std::vector<std::string_view>& row, std::int64_t line);

// The time of one row.
struct RowTime {
  enum class State { kGood, kBad, kSkippedByClock };
  State state = State::kBad;
  Instant at{};
};

// The times of all rows, and how they were read.
struct RowTimes {
  std::vector<RowTime> rows;
  bool is_descending = false;
  std::string clock;               // "UTC", "Europe/Berlin", "stated by each time"
  std::string order;               // "day first", "month first"; empty where the dates leave no choice
  std::vector<std::string> notes;  // assumptions, for users
};
// Reads the times: finds the clock from options, cells and header, and the order of day and month from dates that have
// only one reading, or from the one order that gives even steps. kInvalidArgument names the option to set when both
// orders are possible.
Result<RowTimes> ReadTimes(const std::vector<TimeCells>& cells, const TimeColumns& columns, const TableLayout& layout,
                           const std::string& file, const ReadOptions& options);

}  // namespace heliostat::signal_files
