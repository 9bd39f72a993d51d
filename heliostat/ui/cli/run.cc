#include "heliostat/node/training_run/run.h"
#include "heliostat/ui/cli/flags.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/io/number.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/fake_gpus.h"
#include "heliostat/ui/cli/run_ledgers.h"
#include "heliostat/ui/cli/run_profile.h"
#include "heliostat/ui/cli/run_signals.h"
#include "heliostat/ui/report/run_text.h"
#include "heliostat/ui/user_config/config.h"

namespace heliostat::cli {
namespace {

using user_config::Config;
using user_config::Key;

constexpr const char* kAbout =
    R"(Runs an unchanged program. Every period it forecasts the carbon intensity and sets the knob to the level with the
least [eta * power * intensity + (1 - eta) * highest power * highest intensity] / speed (Chase), and it records energy,
carbon and cost. With --max-slowdown or --deadline it minimises the carbon of the whole run within that time.

Speed and power of each level are learned while the program trains. Progress comes from heliostat.step() (two lines of
Python or C), from progress bars and log lines, or is estimated from GPU counters.

Knobs: power-limit and core-clock are set by leases and need the agent or root. pace, the share of each second in which
the program may run, needs no privilege.

Without --carbon and --zone it follows the zone of `heliostat config`, else that of the machine's time zone. Without a zone,
a provider or a right to set the GPU it only measures.

Examples:
  heliostat run -- python train.py
  heliostat run --zone GB --provider neso -- python train.py
  heliostat run --carbon de.csv --max-slowdown 2.5% -- python train.py --epochs 90
  heliostat run --carbon de.csv --knob pace -- ./train.sh
  heliostat run --fake-gpu H200 --zone solar-heavy --speed-up 480 --period 6s -- stand-in-train --steps 2000)";

struct Arguments {
  std::vector<std::string> command;
  std::vector<std::string> before;  // words before --, which belong after it
  SignalArguments signals;
  // Empty and absent: as configured.
  std::string knob;
  std::optional<double> eta;
  std::string max_slowdown;
  std::string deadline;
  std::string period = "30m";
  std::vector<std::string> gpus;
  std::string profile;
  std::string regex;
  double steps = 0.0;
  std::optional<double> pue;
  double price_weight = 1.0;
  bool is_shadow = false;
};

// Parses a time, or a length of time from now.
Result<Instant> ParseDeadline(const std::string& text) {
  const Instant now = SystemClock().Now();
  if (const auto length = ParseDuration(text, "--deadline")) return now + *length;
  const auto at = ParseInstant(text, "--deadline");
  if (at && *at <= now) {
    return Fail(ErrorCode::kInvalidArgument, "--deadline", FormatInstant(*at) + " is in the past",
                "a later time, or a length of time such as 8h");
  }
  return at;
}

// Takes what is not given on the command line from the configuration.
void Complete(Arguments& arguments, const Config& config) {
  const auto number = [&](Key key) { return io::ParseNumber(config.text(key)).value_or(0.0); };
  if (arguments.knob.empty()) arguments.knob = config.text(Key::kKnob);
  const bool says_how = arguments.eta || !arguments.max_slowdown.empty() || !arguments.deadline.empty();
  if (!says_how) arguments.max_slowdown = config.text(Key::kMaxSlowdown);
  if (!arguments.eta) arguments.eta = number(Key::kEta);
  if (!arguments.pue) arguments.pue = number(Key::kPue);
}

Result<training_run::RunOptions> OptionsOf(const Arguments& arguments) {
  training_run::RunOptions options;
  options.command = arguments.command;
  options.gpus = arguments.gpus;
  options.eta = *arguments.eta;
  options.pue = *arguments.pue;
  // A replay at higher speed leaves less time to learn, so a larger share of it may go into learning.
  options.probing_share = std::min(0.02 * arguments.signals.speed, 0.25);
  options.progress_regex = arguments.regex;
  if (!IsProfileTable(arguments.profile)) options.profile = arguments.profile;
  options.is_dry = arguments.is_shadow;
  // A guard runs it, which is a copy of this process.
  options.restore = {"/proc/self/exe", "device", "restore", "--quiet"};
  if (arguments.steps > 0.0) options.total_steps = arguments.steps;
  const auto knob = level_control::ParseKnob(arguments.knob, "--knob");
  if (!knob) return Propagate(knob);
  options.knob = *knob;
  auto known_speeds = ReadProfileTable(arguments.profile, options.knob);
  if (!known_speeds) return Propagate(known_speeds);
  options.known_speeds = *std::move(known_speeds);
  const auto period = ParseDuration(arguments.period, "--period");
  if (!period) return Propagate(period);
  options.period = *period;
  if (!arguments.max_slowdown.empty()) {
    const auto share = user_config::ParseShare(arguments.max_slowdown, "--max-slowdown");
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
  options.told = {{"knob", arguments.knob}, {"period", arguments.period}, {"eta", fmt::format("{:g}", *arguments.eta)}};
  if (options.max_slowdown) options.told.emplace_back("max-slowdown", arguments.max_slowdown);
  if (options.deadline) options.told.emplace_back("deadline", FormatInstant(*options.deadline));
  return options;
}

Result<Output> RunIt(Arguments arguments) {
  const auto config = Config::Read(ProcessEnvironment());
  if (!config) return Propagate(config);
  const Environment environment = config->Over(ProcessEnvironment());
  Complete(arguments, *config);
  auto options = OptionsOf(arguments);
  if (!options) return Propagate(options);
  const SystemClock clock{};
  auto signals = OpenSignals(arguments.signals, *config, environment, clock);
  if (!signals) return Propagate(signals);
  options->currency = signals->currency;
  options->only_measures = !signals->has_carbon;
  if (signals->price != nullptr) options->weights = {1.0 - arguments.price_weight, 1e3 * arguments.price_weight};
  const auto outcome = AtFlags(training_run::Run(*options, *signals->carbon, signals->price.get(), environment, clock),
                               {{"eta", "--eta"},
                                {"period", "--period"},
                                {"slowdown", "--max-slowdown"},
                                {"knob", "--knob"},
                                {"progress pattern", "--progress-regex"}});
  if (!outcome) return Propagate(outcome);
  Output output;
  const int status = outcome->ending.Status();
  if (outcome->run) {
    output.json = ledger::ToJson(ledger::BillOf(*outcome->run), outcome->run->begin);
    output.json.Set("run", outcome->run->id);
    // The program owns stdout, so the bill goes to stderr.
    output.note =
        report::BillText(*outcome->run, StateTextNow(*outcome->run),
                         report::KnownWidth(ProcessEnvironment(), STDERR_FILENO).value_or(report::kUsualWidth));
  }
  output.json.Set("exit_status", status);
  output.verdict = outcome->not_started;
  output.ending = {outcome->ending, outcome->had_terminal};
  return output;
}

}  // namespace

Command InstallRun(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("PROGRAM -- PROGRAM [ARGUMENT...]", arguments->before, "The training program, unchanged");
  AddSignalArguments(syntax.Group("What to follow"), arguments->signals);
  const Syntax how = syntax.Group("How to decide");
  how.AddOption("--knob NAME", arguments->knob,
                "What to change: power-limit, core-clock or pace, the share of time it runs (default: as configured)");
  how.AddOption("--eta SHARE", arguments->eta,
                "Weight of carbon against time: 0 counts only time, 1 only carbon (default: as configured, else 0.5)")
      .Between(0.0, 1.0);
  how.AddOption("--max-slowdown PERCENT", arguments->max_slowdown,
                "Minimise carbon while the run takes at most this much longer, such as 2.5%");
  how.AddOption("--deadline TIME|DATE", arguments->deadline,
                "Minimise carbon while the run ends by this time; 8h: in 8 hours");
  how.AddOption("--period TIME", arguments->period,
                "Time between two decisions; a jump of the signal causes one at once")
      .ShowDefault();
  how.AddOption("--price-weight SHARE", arguments->price_weight,
                "With --price: 1 only cost, 0 only carbon; 0.5: one unit of currency equals 1 kg CO2e")
      .ShowDefault()
      .Between(0.0, 1.0);
  how.AddFlag("--shadow", arguments->is_shadow, "Decide, record and tell what it would have saved, but change nothing");
  const Syntax program = syntax.Group("About the program");
  program.AddOption("--gpu GPU", arguments->gpus, "GPUs of the program (default: CUDA_VISIBLE_DEVICES, else all)");
  program
      .AddOption("--steps N", arguments->steps, "Number of steps of the whole run, if the program does not report it")
      .Positive();
  program.AddOption("--progress-regex REGEX", arguments->regex,
                    "Regular expression for the step count in the output: one group, or two with the total");
  program.AddOption("--profile FILE[:MODEL]|NAME", arguments->profile,
                    "Profile to begin with: a CSV file of `heliostat profile`; or the name under which runs that "
                    "differ only in seed or "
                    "epochs share what they learn");
  program
      .AddOption("--pue RATIO", arguments->pue,
                 "Facility energy divided by the energy of the GPUs (default: as configured, else 1)")
      .Between(1.0, 5.0);
  syntax.Footer(kAbout);
  return [arguments, &options]() -> Result<Output> {
    arguments->command = options.program;
    if (!options.fake_gpus.empty()) TellHowToLoadFakeGpus(options.program);
    if (!arguments->command.empty() && arguments->before.empty()) return RunIt(*arguments);
    if (!arguments->before.empty()) {
      return Fail(ErrorCode::kInvalidArgument, "command line",
                  fmt::format("'{}' stands before --", Printable(arguments->before.front(), 40)),
                  "name the program after --: heliostat run -- python train.py");
    }
    return Fail(ErrorCode::kInvalidArgument, "command line", "no program is given",
                "name it after --: heliostat run --zone island -- python train.py");
  };
}

}  // namespace heliostat::cli
