#pragma once

#include <string>
#include <vector>

#include "heliostat/signals/signal_files/hour_columns.h"
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
  // Where a row has a whole day: its hours. Then `of_day` is the first of them.
  std::vector<HourColumn> hours{};
  std::string given_date{};    // of all rows, when it stands above the table; `date` is then of no account
  bool ends_interval = false;  // labels mark the end of their interval
  std::string name{};          // "Date" or "Date+Hour"

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
// Joins the cells of a row, or those of one hour of its day.
TimeCells CellsOf(const TimeColumns& columns, const std::vector<std::string_view>& row, std::int64_t line,
                  const HourColumn* hour = nullptr);
// "HE 1 to HE 24".
std::string NameOfHours(const TableLayout& layout, const TimeColumns& columns);

// The words of a name in lower case.
std::vector<std::string> WordsOf(std::string_view name);
// True for the name of a column of hours or other periods of the day.
bool NamesPeriods(std::string_view name);
// The number in "7", "07", "HE07" or "Hour 7".
std::optional<int> PeriodIn(std::string_view cell);

}  // namespace heliostat::signal_files
