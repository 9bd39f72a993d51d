#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/node/ledger/bill.h"
#include "heliostat/node/level_control/controller.h"
#include "heliostat/node/process/ending.h"
#include "heliostat/node/training_run/signal_source.h"

namespace heliostat::training_run {

// The options of `heliostat run`.
struct RunOptions {
  std::vector<std::string> command;
  std::vector<std::string> gpus;  // empty: those that CUDA_VISIBLE_DEVICES names, else all
  Knob knob = Knob::kPowerLimit;
  level_control::Mode mode = level_control::Mode::kEta;
  double eta = 0.5;
  std::optional<double> max_slowdown;
  std::optional<Instant> deadline;
  Duration period{1800};
  level_control::EnergyWeights weights{};
  std::optional<Currency> currency;  // of the price, where there is one
  double pue = 1.0;
  double probing_share = 0.02;  // share of the run's time that learning may cost
  std::string progress_regex;
  std::optional<double> total_steps;                      // of the whole run, where the program does not report it
  std::string profile;                                    // name of the profile; empty: the command
  bool is_dry = false;                                    // shadow: decides and accounts, but turns nothing
  std::vector<std::pair<std::string, std::string>> told;  // options as given, for the ledger
};

// How a run ended, and its bill.
struct RunOutcome {
  process::Ending ending;
  bool had_terminal = false;
  ledger::Run run;
  ledger::Bill bill;
};

// Runs the program under Chase until it ends. `price` may be nullptr. On error the program was not started.
Result<RunOutcome> Run(const RunOptions& options, SignalSource& carbon, SignalSource* price,
                       const Environment& environment, const Clock& clock);

}  // namespace heliostat::training_run
