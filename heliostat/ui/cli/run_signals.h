#pragma once

#include <memory>
#include <optional>
#include <string>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/node/training_run/signal_source.h"
#include "heliostat/ui/cli/syntax.h"

namespace heliostat::cli {

// Which signals a run follows.
struct SignalArguments {
  std::string carbon;  // a file
  std::string column;
  std::string zone;      // a built-in zone, or one of the provider's
  std::string provider;  // of a live signal
  std::string price;     // a file
  std::string currency;  // of its prices, where it does not say
  std::string start;     // where a file is replayed from
  double speed = 1.0;
  std::string model = "auto";
};

void AddSignalArguments(const Syntax& syntax, SignalArguments& arguments);

struct Signals {
  std::unique_ptr<training_run::SignalSource> carbon;
  std::unique_ptr<training_run::SignalSource> price;  // may be null
  std::optional<Currency> currency;                   // of the price
};
// `clock` outlives them.
Result<Signals> OpenSignals(const SignalArguments& arguments, const Environment& environment, const Clock& clock);

}  // namespace heliostat::cli
