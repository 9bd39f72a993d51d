#pragma once

#include <span>
#include <string_view>

#include "heliostat/signals/signal_files/signal_table.h"

namespace heliostat::signal_files {

// Name and description of a file format, for users.
struct FormatFacts {
  std::string_view name;
  std::string_view description;
};
// All formats, in the order in which they are tried; tariffs come last.
std::span<const FormatFacts> KnownFormats();

// Reads a file of any known format, or any other table. Detects the format from its header and first row unless
// `options` names one. An error names file and line. Every assumption is reported in the notes of the table or the
// column.
Result<SignalTable> ReadSignals(const std::string& path, const ReadOptions& options = {});

// The same for text in memory. `file` is for messages, and for facts that file names contain (zone, year, basis).
Result<SignalTable> ReadSignalText(std::string_view text, const std::string& file, const ReadOptions& options = {});

}  // namespace heliostat::signal_files
