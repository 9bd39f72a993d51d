#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

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
  signal_files::TableOptions table;
};

void AddReadArguments(const Syntax& syntax, ReadArguments& arguments);
// Adds the options for the layout of any table, --time-zone included. Commands that read several files have these
// alone.
void AddTableArguments(const Syntax& syntax, ReadArguments& arguments);
// The same without --time-zone and --skip-bad-rows, for a command that has them for other files too.
void AddLayoutArguments(const Syntax& syntax, ReadArguments& arguments);
// Adds --unit for commands that read several quantities: each unit is for the file of its quantity.
void AddUnits(const Syntax& syntax, std::vector<std::string>& units);
// The unit among `units` for a file of this kind; empty when there is none.
Result<std::string> UnitFor(signal::Kind kind, const std::vector<std::string>& units);
// Fails if a unit fits none of the kinds, or two fit the same one.
Status RefuseUnits(const std::vector<std::string>& units, std::initializer_list<signal::Kind> kinds);
// Adds --start and --end. `of_what` names, for --help, what they limit.
void AddSpanArguments(const Syntax& syntax, ReadArguments& arguments, const std::string& of_what);

// Parses and checks the arguments; an error names the flag. `span` is set if --start is given; without --end it is 365
// days long.
Result<signal_files::ReadOptions> ToReadOptions(const ReadArguments& arguments);

// Reads a signal file, or the standard input for "-". Logs how a table was read, and as warnings the reader's notes,
// such as assumptions about the time zone.
Result<signal_files::SignalTable> ReadAndTell(const std::string& path, const signal_files::ReadOptions& options);
// The same for text that is already in memory.
Result<signal_files::SignalTable> ReadTextAndTell(std::string_view text, const std::string& path,
                                                  const signal_files::ReadOptions& options);
// The text of a signal file, or of the standard input for "-".
Result<std::string> ReadSignalBytes(const std::string& path);
// The name of a signal file in messages: "stdin" for "-".
std::string NameOfInput(const std::string& path);

// A file and one of its columns, as FILE[:COLUMN].
struct FileColumn {
  std::string file;
  std::string column;
};
// If a file of the whole name exists, the colon belongs to its name.
FileColumn SplitColumn(const std::string& text);

}  // namespace heliostat::cli
