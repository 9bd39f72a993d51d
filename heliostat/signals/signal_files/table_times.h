#pragma once

#include <string>
#include <vector>

#include "heliostat/signals/signal_files/time_columns.h"

namespace heliostat::signal_files {

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
