#pragma once

#include <span>
#include <string_view>

#include "heliostat/signals/signal_files/signal_table.h"

namespace heliostat::signal_files {

struct FormatFacts {
  std::string_view name;
  std::string_view description;
};
// Every format that is known, in the order in which they are tried.
std::span<const FormatFacts> KnownFormats();

// Reads a file of any known format, chosen by looking at it. An error names
// file and line; nothing is guessed that a note does not tell.
Result<SignalTable> ReadSignals(const std::string& path, const ReadOptions& options = {});

// The same for text already in memory; `file` is for messages and for what file
// names tell (zone, year, real-time or day-ahead).
Result<SignalTable> ReadSignalText(std::string_view text, const std::string& file, const ReadOptions& options = {});

}  // namespace heliostat::signal_files
