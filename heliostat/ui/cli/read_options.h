#pragma once

#include <string>

#include "heliostat/signals/signal_files/signal_table.h"
#include "heliostat/ui/cli/syntax.h"

namespace heliostat::cli {

// What a user can say about a file that the file does not say itself; shared by
// all commands that read signals.
struct ReadArguments {
  std::string format;
  std::string zone;
  std::string time_zone;
  std::string currency;
  std::string quantity;
  std::string tariff;
  std::string start;
  std::string end;
};

void AddReadArguments(const Syntax& syntax, ReadArguments& arguments);
// --start and --end, for what they mean to the command.
void AddSpanArguments(const Syntax& syntax, ReadArguments& arguments, const std::string& of_what);

// Checked; `span` is set when both ends are given, or a year from the start.
Result<signal_files::ReadOptions> ToReadOptions(const ReadArguments& arguments);

// Reads a file and says on stderr what was noticed and assumed.
Result<signal_files::SignalTable> ReadAndTell(const std::string& path, const signal_files::ReadOptions& options);

}  // namespace heliostat::cli
