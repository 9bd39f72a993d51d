#pragma once

#include "heliostat/signals/signal_files/read.h"
#include "heliostat/signals/signal_files/table_layout.h"

namespace heliostat::signal_files {

// Reads a table that no format describes. Delimiter, header, columns, times and units come from the options or from the
// table itself; SignalTable::told says what was found. A unit is never guessed: a column whose unit neither its header
// nor the options state is refused, and so is one whose values contradict it. `text` must be UTF-8; `encoding` is what
// it was decoded from.
Result<SignalTable> ReadAnyTable(std::string_view text, std::string_view encoding, const std::string& file,
                                 const ReadOptions& options);

}  // namespace heliostat::signal_files
