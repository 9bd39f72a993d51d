#include "heliostat/ui/cli/app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <map>
#include <vector>

#include "heliostat/base/core/log.h"
#include "heliostat/base/io/file.h"
#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {
namespace {

constexpr const char* kAbout =
    "Heliostat: carbon- and price-aware resource manager for GPU clusters.\n"
    "Results go to stdout (a table, or JSON with --json), progress and warnings to stderr.\n"
    "Exit status: 0 done, 2 bad usage or input, 3 nothing feasible exists, 1 anything else.";

int Complain(const Error& error) {
  fmt::print(stderr, "heliostat: error: {}\n", error.Line());
  return ExitStatus(error.code);
}

// The parser's own message as one of ours: what is wrong, and where to look.
Error FromParser(const CLI::ParseError& failure, const CLI::App& app) {
  const CLI::App* deepest = &app;
  while (!deepest->get_subcommands().empty()) deepest = deepest->get_subcommands().front();
  std::string name = deepest->get_name();
  for (const CLI::App* up = deepest->get_parent(); up != nullptr; up = up->get_parent())
    name.insert(0, up->get_name() + " ");
  std::string what = failure.what();
  for (char& c : what) c = c == '\n' ? ' ' : c;
  return {ErrorCode::kInvalidArgument, "command line", what, fmt::format("see {} --help", name)};
}

// "--json" takes a file only when one that ends in .json follows it and is not
// the command's own input, which the command sorts out (InputOrTakenByJson).
std::vector<std::string> SplitJsonFile(int argc, char** argv, Options& options) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--") {
      // What follows is another program's, options and all.
      options.program.assign(argv + i + 1, argv + argc);
      break;
    }
    if (argument == "--json") {
      options.wants_json = true;
      const std::string next = i + 1 < argc ? argv[i + 1] : "";
      if (next.ends_with(".json") && !next.starts_with("-")) options.json_file = argv[++i];
    } else if (argument.starts_with("--json=")) {
      options.wants_json = true;
      options.json_file = argument.substr(7);
    } else {
      arguments.push_back(argument);
    }
  }
  return arguments;
}

Status Deliver(const Output& output, const Options& options) {
  if (!options.quiet) fmt::print(stderr, "{}", output.note);
  if (!options.wants_json) {
    fmt::print("{}", output.text);
  } else if (options.json_file.empty()) {
    fmt::print("{}\n", output.json.Dump());
  } else {
    return io::WriteFileAtomically(options.json_file, output.json.Dump() + "\n");
  }
  if (std::fflush(stdout) != 0) return Fail(ErrorCode::kInternal, "stdout", "cannot be written");
  return {};
}

CLI::App* AddCommand(CLI::App& parent, const char* name, const char* about, Install install, Options& options,
                     std::map<const CLI::App*, Command>& commands) {
  CLI::App* command = parent.add_subcommand(name, about);
  command->fallthrough();
  commands[command] = install(Syntax(*command), options);
  command->footer(command->get_footer() + "\nEverywhere: --json [FILE.json], --quiet, --verbose, --version");
  return command;
}

void AddDeviceCommands(CLI::App& app, Options& options, std::map<const CLI::App*, Command>& commands) {
  CLI::App* device = app.add_subcommand("device", "GPUs: read them, set them under a lease, put them back");
  device->require_subcommand(1);
  device->fallthrough();
  AddCommand(*device, "list", "The GPUs of this machine and how they stand", InstallDeviceList, options, commands);
  AddCommand(*device, "show", "Everything about one GPU", InstallDeviceShow, options, commands);
  AddCommand(*device, "watch", "GPUs live: power, clocks, load, energy", InstallDeviceWatch, options, commands);
  AddCommand(*device, "set", "Lease a power limit or clock for a while", InstallDeviceSet, options, commands);
  AddCommand(*device, "reset", "End leases: cards go back to where they stood", InstallDeviceReset, options, commands);
  AddCommand(*device, "leases", "Who holds which setting, and for how long", InstallDeviceLeases, options, commands);
  AddCommand(app, "doctor", "What works on this machine (driver, permissions, agent), and how to fix what does not",
             InstallDoctor, options, commands);
}

void AddRunCommands(CLI::App& app, Options& options, std::map<const CLI::App*, Command>& commands) {
  CLI::App* runs = AddCommand(app, "runs", "Past and present runs: list, show, compare, export, plot", InstallRuns,
                              options, commands);
  runs->require_subcommand(0, 1);
  AddCommand(*runs, "list", "The runs there are, newest first; what `runs` alone does", InstallRunsList, options,
             commands);
  AddCommand(*runs, "show", "Every decision of a run and why", InstallRunsShow, options, commands);
  AddCommand(*runs, "compare", "Runs side by side", InstallRunsCompare, options, commands);
  AddCommand(*runs, "export", "A run as CSV, JSON or one HTML page", InstallRunsExport, options, commands);
  AddCommand(*runs, "plot", "A run over time, in the terminal", InstallRunsPlot, options, commands);
  AddCommand(app, "report", "The bill of a run: energy, carbon, cost and time beside what they would have been",
             InstallReport, options, commands);
}

// Every command, in the order in which help lists them.
void AddCommands(CLI::App& app, Options& options, std::map<const CLI::App*, Command>& commands) {
  AddCommand(app, "demo", "A week of a cluster under five policies, on built-in data; ends with a report", InstallDemo,
             options, commands);
  CLI::App* signal =
      app.add_subcommand("signal", "Carbon intensity, renewables and prices: look at, convert, fetch, make");
  signal->require_subcommand(1);
  signal->fallthrough();
  AddCommand(*signal, "inspect", "What a signal file holds: format, zone, unit, step, range, gaps, mean",
             InstallSignalInspect, options, commands);
  AddCommand(*signal, "convert", "Turn any known format into the canonical one", InstallSignalConvert, options,
             commands);

  AddCommand(*signal, "fetch", "Ask a live provider, keep the answer, say how fresh it is", InstallSignalFetch, options,
             commands);
  AddCommand(*signal, "generate", "Make years of carbon, sun, wind and price for a built-in zone",
             InstallSignalGenerate, options, commands);
  AddCommand(*signal, "zones", "The built-in zones side by side: a week of each, and a page of their years",
             InstallSignalZones, options, commands);

  CLI::App* forecast = app.add_subcommand("forecast", "What comes next, how sure that is, and how models did so far");
  forecast->require_subcommand(1);
  forecast->fallthrough();
  AddCommand(*forecast, "backtest", "How well models would have forecast a file, seeing only the past",
             InstallForecastBacktest, options, commands);
  AddCommand(*forecast, "show", "A forecast with bands and possible futures", InstallForecastShow, options, commands);
  AddCommand(*forecast, "models", "The models there are", InstallForecastModels, options, commands);

  CLI::App* scenario = app.add_subcommand("scenario", "Clusters, their work and what they meet: make them up");
  scenario->require_subcommand(1);
  scenario->fallthrough();
  AddCommand(*scenario, "make", "Write a complete scenario: built-in or real signals, made or traced jobs",
             InstallScenarioMake, options, commands);

  AddCommand(app, "plan", "When, where and how fast work runs, with a proof of how good that is", InstallPlan, options,
             commands);
  AddCommand(app, "simulate", "Policies side by side on one scenario, and what none of them can beat", InstallSimulate,
             options, commands);
  AddCommand(app, "replay", "Ask a policy again what it decided on record, and compare", InstallReplay, options,
             commands);
  AddCommand(app, "run", "Train with less carbon: the program as it is, its GPUs by the grid", InstallRun, options,
             commands);
  AddCommand(app, "reproduce", "Published results beside ours, over many grids and seasons", InstallReproduce, options,
             commands);

  CLI::App* profile = app.add_subcommand("profile", "How fast models are on GPUs and what they draw");
  profile->require_subcommand(1);
  profile->fallthrough();
  AddCommand(*profile, "library", "The built-in profiles and how far they can be trusted", InstallProfileLibrary,
             options, commands);
  AddCommand(*profile, "import", "Turn measurements into curves and profile tables", InstallProfileImport, options,
             commands);
  AddCommand(*profile, "transfer", "Predict models on GPUs where they never ran, and how well that works",
             InstallProfileTransfer, options, commands);
  AddDeviceCommands(app, options, commands);
  AddRunCommands(app, options, commands);
}

int RunChecked(int argc, char** argv) {
  Options options;
  CLI::App app(kAbout, "heliostat");
  app.set_version_flag("--version", std::string("heliostat ") + HELIOSTAT_VERSION);
  app.set_help_all_flag("--help-all", "Help of every command");
  app.add_flag("-q,--quiet", options.quiet, "Only errors on stderr");
  app.add_flag("-v,--verbose", options.verbose, "More on stderr");
  // Parsed by SplitJsonFile before anything else; here for --help.
  app.add_flag("--json", options.wants_json, "Print JSON instead of a table; --json FILE.json writes it there");
  app.require_subcommand(1);

  std::map<const CLI::App*, Command> commands;
  AddCommands(app, options, commands);
  std::vector<std::string> arguments = SplitJsonFile(argc, argv, options);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants a vector
  try {
    app.parse(arguments);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const CLI::ParseError& failure) {
    return Complain(FromParser(failure, app));
  }
  SetLogLevel(options.quiet ? LogLevel::kError : options.verbose ? LogLevel::kDebug : LogLevel::kInfo);

  const CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  const auto output = commands.at(chosen)();
  if (!output) return Complain(output.error());
  const auto delivered = Deliver(*output, options);
  if (output->ending) {
    if (!delivered) (void)Complain(delivered.error());
    process::EndLike(output->ending->how, output->ending->had_terminal);
  }
  if (!delivered) return Complain(delivered.error());
  return output->verdict ? Complain(*output->verdict) : 0;
}

}  // namespace

std::string InputOrTakenByJson(const std::string& file, Options& options) {
  return file.empty() ? std::exchange(options.json_file, {}) : file;
}

Status RefuseOverwrite(const std::string& input, const Options& options) {
  std::error_code ignored;
  const bool is_same = input == options.json_file || std::filesystem::equivalent(input, options.json_file, ignored);
  if (options.json_file.empty() || !is_same) return {};
  return Fail(ErrorCode::kInvalidArgument, "--json", options.json_file + " is the input", "name another file");
}

int Run(int argc, char** argv) {
  try {
    return RunChecked(argc, argv);
  } catch (const std::bad_alloc&) {
    return Complain({ErrorCode::kInternal, "", "out of memory", ""});
  } catch (const std::exception& failure) {
    return Complain({ErrorCode::kInternal, "", failure.what(), ""});
  }
}

}  // namespace heliostat::cli
