#include "heliostat/node/training_run/run.h"
#include "heliostat/ui/cli/flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/io/number.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/run_signals.h"
#include "heliostat/ui/report/run_text.h"

namespace heliostat::cli {
namespace {

constexpr const char* kAbout =
    R"(Runs the program as it is; nothing in it need change. Every period the coming carbon intensity is forecast, the level
of the knob with the least [eta * power * intensity + (1 - eta) * most power * highest intensity] / speed is chosen
(Chase), and what was used is put on record. With --max-slowdown or --deadline: the least carbon over the whole run
within that time. Speeds and draws are learned while it trains; progress is known from heliostat.step() (two lines of
Python or C), from progress bars and log lines, or from GPU counters alone, which is an estimate.

Knobs: power-limit and core-clock are leases and need the agent or root; pace needs no privilege.

Examples:
  heliostat run --zone GB --provider neso -- python train.py
  heliostat run --carbon de.csv --max-slowdown 2.5% -- python train.py --epochs 90
  heliostat run --carbon de.csv --knob pace -- ./train.sh)";

struct Arguments {
  std::vector<std::string> command;
  SignalArguments signals;
  std::string knob = "power-limit";
  double eta = 0.5;
  std::string max_slowdown;
  std::string deadline;
  std::string period = "30m";
  std::vector<std::string> gpus;
  std::string profile;
  std::string regex;
  double steps = 0.0;
  double pue = 1.0;
  double price_weight = 1.0;
  bool is_shadow = false;
};

// "2.5%" or "0.025".
Result<double> ParseShare(std::string text, std::string_view where) {
  const bool is_percent = text.ends_with('%');
  if (is_percent) text.pop_back();
  const auto number = io::ParseNumber(text);
  const double share = number ? *number / (is_percent ? 100.0 : 1.0) : -1.0;
  if (share >= 0.0 && share <= 10.0) return share;
  return Fail(ErrorCode::kInvalidArgument, std::string(where), "'" + Printable(text, 40) + "' is no share of time",
              "such as 2.5%");
}

// A time, or how long from now.
Result<Instant> ParseDeadline(const std::string& text) {
  const Instant now = SystemClock().Now();
  if (const auto length = ParseDuration(text, "--deadline")) return now + *length;
  const auto at = ParseInstant(text, "--deadline");
  if (at && *at <= now) {
    return Fail(ErrorCode::kInvalidArgument, "--deadline", FormatInstant(*at) + " is over", "a time to come, or 8h");
  }
  return at;
}

Result<training_run::RunOptions> OptionsOf(const Arguments& arguments) {
  training_run::RunOptions options;
  options.command = arguments.command;
  options.gpus = arguments.gpus;
  options.eta = arguments.eta;
  options.pue = arguments.pue;
  // A day that is replayed in minutes leaves minutes to learn in.
  options.probing_share = std::min(0.02 * arguments.signals.speed, 0.25);
  options.progress_regex = arguments.regex;
  options.profile = arguments.profile;
  options.is_dry = arguments.is_shadow;
  if (arguments.steps > 0.0) options.total_steps = arguments.steps;
  const auto knob = level_control::ParseKnob(arguments.knob, "--knob");
  if (!knob) return Propagate(knob);
  options.knob = *knob;
  const auto period = ParseDuration(arguments.period, "--period");
  if (!period) return Propagate(period);
  options.period = *period;
  if (!arguments.max_slowdown.empty()) {
    const auto share = ParseShare(arguments.max_slowdown, "--max-slowdown");
    if (!share) return Propagate(share);
    options.max_slowdown = *share;
    options.mode = level_control::Mode::kBudget;
  }
  if (!arguments.deadline.empty()) {
    const auto deadline = ParseDeadline(arguments.deadline);
    if (!deadline) return Propagate(deadline);
    options.deadline = *deadline;
    options.mode = level_control::Mode::kBudget;
  }
  if (!arguments.signals.price.empty()) options.weights = {1.0 - arguments.price_weight, 1e3 * arguments.price_weight};
  options.told = {{"knob", arguments.knob}, {"period", arguments.period}, {"eta", fmt::format("{:g}", arguments.eta)}};
  if (options.max_slowdown) options.told.emplace_back("max-slowdown", arguments.max_slowdown);
  if (options.deadline) options.told.emplace_back("deadline", FormatInstant(*options.deadline));
  return options;
}

Result<Output> RunIt(const Arguments& arguments) {
  auto options = OptionsOf(arguments);
  if (!options) return Propagate(options);
  const SystemClock clock{};
  auto signals = OpenSignals(arguments.signals, ProcessEnvironment(), clock);
  if (!signals) return Propagate(signals);
  options->currency = signals->currency;
  const auto outcome =
      AtFlags(training_run::Run(*options, *signals->carbon, signals->price.get(), ProcessEnvironment(), clock),
              {{"eta", "--eta"},
               {"period", "--period"},
               {"slowdown", "--max-slowdown"},
               {"knob", "--knob"},
               {"progress pattern", "--progress-regex"}});
  if (!outcome) return Propagate(outcome);
  Output output;
  output.json = ledger::ToJson(outcome->bill, outcome->run.begin);
  output.json.Set("run", outcome->run.id).Set("exit_status", outcome->ending.Status());
  // The program's own output stands on stdout; ours must not mix with it.
  const int status = outcome->ending.Status();
  output.note = report::BillText(outcome->run, status == 0 ? "finished" : fmt::format("failed {}", status));
  output.ending = {outcome->ending, outcome->had_terminal};
  return output;
}

}  // namespace

Command InstallRun(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  AddSignalArguments(syntax, arguments->signals);
  syntax.AddOption("--knob", arguments->knob, "power-limit, core-clock or pace").ShowDefault();
  syntax.AddOption("--eta", arguments->eta, "0: only time counts, 1: only carbon").ShowDefault().Between(0.0, 1.0);
  syntax.AddOption("--period", arguments->period, "Between two decisions; at once when the signal jumps").ShowDefault();
  syntax.AddOption("--max-slowdown", arguments->max_slowdown, "Least carbon within so much more time, such as 2.5%");
  syntax.AddOption("--deadline", arguments->deadline, "Least carbon until then: a time, or 8h from now");
  syntax.AddOption("--gpu", arguments->gpus, "GPUs of the program (default: CUDA_VISIBLE_DEVICES, else all)");
  syntax.AddOption("--progress-regex", arguments->regex,
                   "Finds the count of steps in the output: one group, or two with "
                   "the total");
  syntax.AddOption("--steps", arguments->steps, "Steps of the whole run, where the program does not tell").Positive();
  syntax.AddOption(
      "--profile", arguments->profile,
      "Name of what is learned, for commands that differ only in what does not matter to speed: seeds, epochs");
  syntax
      .AddOption("--price-weight", arguments->price_weight,
                 "With --price: 1 money alone, 0 carbon alone; at 0.5 a unit of money counts as much as a kilogram")
      .ShowDefault()
      .Between(0.0, 1.0);
  syntax.AddOption("--pue", arguments->pue, "Of the building: facility energy over what GPUs take")
      .ShowDefault()
      .Between(1.0, 5.0);
  syntax.AddFlag("--shadow", arguments->is_shadow, "Decide and account, but turn nothing");
  syntax.Footer(kAbout);
  return [arguments, &options]() -> Result<Output> {
    arguments->command = options.program;
    if (!arguments->command.empty()) return RunIt(*arguments);
    return Fail(ErrorCode::kInvalidArgument, "command line", "no program to run",
                "after --, such as heliostat run --zone island -- python train.py");
  };
}

}  // namespace heliostat::cli
