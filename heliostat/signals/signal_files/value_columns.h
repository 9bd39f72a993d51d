#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/signals/signal_files/time_columns.h"

namespace heliostat::signal_files {

// A column to read.
struct Wanted {
  std::size_t index = 0;  // of hours as columns, the first
  std::string name{};
  std::string asked{};
  signal::UnitReading unit{};
  std::optional<Currency> currency{};
};

// The columns of values: those that the options name, else the likely ones, with their units. kInvalidArgument names
// the option that a user must set.
Result<std::vector<Wanted>> ChooseColumns(const TableLayout& layout, const TimeColumns& times, const std::string& file,
                                          const ReadOptions& options);

}  // namespace heliostat::signal_files
