#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/forecasting/live_signal/signal_source.h"
#include "heliostat/ui/cli/read_options.h"
#include "heliostat/ui/cli/syntax.h"
#include "heliostat/ui/user_config/config.h"

namespace heliostat::cli {

// The signals that `heliostat run` follows, as given on the command line. Empty: not given.
struct SignalArguments {
  std::string carbon;  // a file
  std::string column;
  std::string zone;      // a zone of the provider, or a built-in zone
  std::string provider;  // of a live signal; empty: --zone is built-in
  std::string price;     // FILE[:COLUMN]
  std::string currency;  // of its prices, where the file names none
  std::vector<std::string> units;
  ReadArguments read;  // of both files
  std::string start;   // the time in the file at which the replay starts
  double speed = 1.0;
  std::string model = "auto";
};

void AddSignalArguments(const Syntax& syntax, SignalArguments& arguments);

// The opened signals.
struct Signals {
  std::unique_ptr<live_signal::SignalSource> carbon;
  bool has_carbon = true;                            // false: there is nothing to follow, `carbon` has no value
  std::unique_ptr<live_signal::SignalSource> price;  // may be null
  std::optional<Currency> currency;                  // of the price
};
// Opens the signals; what is not given comes from `config`, or from the machine's time zone. Says in one line what it
// found out by itself. `clock` must outlive them. Without a zone, or without a provider for it, there is no carbon.
// Fails when --carbon and --zone are both given, and for a file, zone, provider or forecast model that is not known.
Result<Signals> OpenSignals(SignalArguments arguments, const user_config::Config& config,
                            const Environment& environment, const Clock& clock);

}  // namespace heliostat::cli
