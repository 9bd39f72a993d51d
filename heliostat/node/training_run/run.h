#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/forecasting/live_signal/signal_source.h"
#include "heliostat/node/ledger/run.h"
#include "heliostat/node/level_control/controller.h"
#include "heliostat/node/level_control/speed_profile.h"
#include "heliostat/node/process/ending.h"

namespace heliostat::training_run {

// Speeds at levels of the knob that were measured before the run, in steps, for a number of GPUs with this name. Fails
// where they are of another GPU. Called from the thread of the run; empty where nothing is known.
using KnownSpeeds =
    std::function<Result<std::vector<level_control::SteadySpell>>(const std::string& gpu, std::size_t gpus)>;

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
  KnownSpeeds known_speeds;                               // the profile where no earlier run has learned one
  bool only_measures = false;                             // there is no signal to follow, so nothing is decided
  bool is_dry = false;                                    // shadow: decides and accounts, but turns nothing
  std::vector<std::pair<std::string, std::string>> told;  // options as given, for the ledger
  std::vector<std::string> restore;                       // command that puts cards back when this process has died
};

// How a run ended.
struct RunOutcome {
  process::Ending ending;
  bool had_terminal = false;
  std::optional<Error> not_started;  // why the program could not be started; the ending is then that of a shell
  std::optional<ledger::Run> run;    // absent when nothing could be measured
};

// Runs the program under Chase until it ends. `price` may be nullptr.
//
// The program starts at once. Whatever depends on the machine or the network (GPUs, agent, ledger, feed) is opened
// meanwhile, by a thread of its own, and looked for again when it is missing. Errors are of the options alone; the
// program was then not started. Does not return when the driver hangs at the end: ends the process as the program
// ended.
Result<RunOutcome> Run(const RunOptions& options, live_signal::SignalSource& carbon, live_signal::SignalSource* price,
                       const Environment& environment, const Clock& clock);

}  // namespace heliostat::training_run
