#pragma once

#include <string>

#include "heliostat/signals/signal_files/signal_table.h"
#include "heliostat/ui/cli/syntax.h"

namespace heliostat::cli {

// What a user can state about a signal file that the file does not contain, as given on the command line. All commands
// that read signals share it. Empty: not given.
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
// Adds --start and --end. `of_what` names, for --help, what they limit.
void AddSpanArguments(const Syntax& syntax, ReadArguments& arguments, const std::string& of_what);

// Parses and checks the arguments; an error names the flag. `span` is set if --start is given; without --end it is 365
// days long.
Result<signal_files::ReadOptions> ToReadOptions(const ReadArguments& arguments);

// Reads a signal file and logs the reader's notes, such as assumptions about the time zone, as warnings.
Result<signal_files::SignalTable> ReadAndTell(const std::string& path, const signal_files::ReadOptions& options);

}  // namespace heliostat::cli
