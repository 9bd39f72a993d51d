#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/chase/controller.h"
#include "heliostat/core/clock.h"
#include "heliostat/core/environment.h"
#include "heliostat/launch/ending.h"
#include "heliostat/ledger/bill.h"
#include "heliostat/live/signal_source.h"

namespace heliostat::live {

// What `heliostat run` was asked to do.
struct RunOptions {
  std::vector<std::string> command;
  std::vector<std::string> gpus;  // empty: those that CUDA_VISIBLE_DEVICES names, else all
  Knob knob = Knob::kPowerLimit;
  chase::Mode mode = chase::Mode::kEta;
  double eta = 0.5;
  std::optional<double> max_slowdown;
  std::optional<Instant> deadline;
  Duration period{1800};
  chase::Weights weights{};
  std::optional<Currency> currency;  // of the price, where there is one
  double pue = 1.0;
  double probing_share = 0.02;  // of the run's time that learning may cost
  std::string progress_regex;
  std::optional<double> total_steps;                      // of the whole run, where the program does not tell
  std::string profile;                                    // its name; empty: the command
  bool is_dry = false;                                    // decides and accounts, but turns nothing: shadow
  std::vector<std::pair<std::string, std::string>> told;  // options as given, for the ledger
};

struct RunOutcome {
  launch::Ending ending;
  bool had_terminal = false;
  ledger::Run run;
  ledger::Bill bill;
};

// Runs the program under Chase to its end. `carbon` must be there, `price` may be null. An error says that the program
// was not started.
Result<RunOutcome> Run(const RunOptions& options, SignalSource& carbon, SignalSource* price,
                       const Environment& environment, const Clock& clock);

}  // namespace heliostat::live
