// Any bytes are a table of the format of the target, or one error. The columns of a table share their steps, and a
// table that is written canonically and read again is the same.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fuzz/target_name.h"
#include "heliostat/base/core/check.h"
#include "heliostat/signals/signal_files/canonical.h"
#include "heliostat/signals/signal_files/read.h"

namespace {

using heliostat::Check;

void CheckTable(const heliostat::signal_files::SignalTable& table) {
  Check(!table.columns.empty(), "a table has no columns");
  Check(table.primary < table.columns.size(), "the primary column does not exist");
  const auto& axis = table.columns.front().signal.series;
  std::vector<heliostat::signal::Signal> signals;
  for (const auto& column : table.columns) {
    Check(column.signal.series.span() == axis.span(), "columns have different spans");
    Check(column.cells.count + table.dropped == table.rows, "a column does not have one cell per row");
    signals.push_back(column.signal);
  }
  const auto text = heliostat::signal_files::WriteCanonical(signals);
  if (!text || axis.size() < 2) return;  // two names can be equal after units are added
  const auto again = heliostat::signal_files::ReadSignalText(*text, "again.csv");
  // A unit that was plausible by its currency may not be so without it.
  if (!again && again.error().what.find("looks like") != std::string::npos) return;
  // Steps without rows are written as empty cells, so the table that is read has all steps.
  Check(again.has_value(), again ? "" : again.error().Line());
  Check(again->columns.size() == signals.size() && again->absent == 0, "columns or rows are lost");
  Check(again->columns.front().signal.series.missing() == axis.missing(), "the number of missing values changes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  heliostat::signal_files::ReadOptions options;
  options.format = TargetName();
  const auto table = heliostat::signal_files::ReadSignalText(text, "DE-LU_2023_price.csv", options);
  if (table) {
    CheckTable(*table);
  } else {
    Check(!table.error().Line().empty(), "an error has no text");
  }
  return 0;
}
