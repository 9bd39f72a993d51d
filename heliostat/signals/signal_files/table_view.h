#pragma once

#include <string>
#include <vector>

#include "heliostat/signals/signal_files/table_layout.h"

namespace heliostat::signal_files {

// What can be seen of a file that could not be read, for a user who must say the rest. A plain value type.
struct TableView {
  std::string encoding;
  TableLayout layout;
  std::string time_column;        // empty when none is recognised
  std::optional<Interval> times;  // from the first row to the last, when they can be read
  std::string clock;
  std::size_t rows = 0;
  std::vector<std::string> needs;  // the options that are missing: "time-column", "unit"
};

// Looks at a file without reading its numbers. kInvalidArgument when it is not a table.
Result<TableView> ViewTable(std::string_view bytes, const std::string& file, const ReadOptions& options);

}  // namespace heliostat::signal_files
