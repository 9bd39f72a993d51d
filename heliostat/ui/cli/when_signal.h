#pragma once

#include <string>

#include "heliostat/forecasting/forecast/history.h"
#include "heliostat/ui/cli/read_options.h"
#include "heliostat/ui/cli/syntax.h"

namespace heliostat::cli {

// The signal that `heliostat when` looks at, as given on the command line. Empty: not given.
struct WhenSignalArguments {
  std::string carbon;  // a file
  std::string price;   // a file
  std::string column;
  std::string currency;
  ReadArguments read;  // layout and unit of the file
  std::string zone;
  std::string provider;
  std::string at;  // the time of the question
};

void AddWhenSignalArguments(const Syntax& syntax, WhenSignalArguments& arguments);

// What is known of the signal at the time of the question. The history may end later than `now`, as day-ahead prices
// do.
struct WhenSignal {
  std::string name;  // "file de.csv", "built-in zone hydro", "neso GB"
  Instant now;
  forecast::History known;
};

// Reads the file, generates the built-in zone, or asks the provider and the store. The zone comes from the
// configuration where no signal is given. Fails when more than one is given, and where nothing is known.
Result<WhenSignal> OpenWhenSignal(const WhenSignalArguments& arguments);

}  // namespace heliostat::cli
