#include "heliostat/ui/cli/app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <vector>

#include "heliostat/base/core/log.h"
#include "heliostat/base/core/log_format.h"
#include "heliostat/base/core/nearest.h"
#include "heliostat/base/io/file.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/user_config/config.h"

namespace heliostat::cli {
namespace {

constexpr const char* kAbout =
    "Heliostat: carbon- and price-aware resource manager for GPU clusters.\n"
    "Results go to stdout (a table, or JSON with --json). Progress, warnings and errors go to stderr.\n"
    "Exit status: 0 success, 1 failure, 2 bad usage or bad input, 3 no feasible solution exists.";

constexpr const char* kReference =
    "`heliostat help COMMAND` prints the help of a command. Values that commands share: `heliostat config`.\n"
    "Exit statuses and environment variables: docs/guide/reference.md.\n\n"
    "Example: heliostat run -- python train.py";

int Complain(const Error& error) {
  LogError(error);
  return ExitStatus(error.code);
}

// "Could not convert: --seed = abc" as "--seed: 'abc' is not a number".
std::string InPlainWords(std::string what) {
  constexpr std::string_view kConversion = "Could not convert: ";
  const auto equals = what.find(" = ");
  if (!what.starts_with(kConversion) || equals == std::string::npos) return what;
  const std::string option = what.substr(kConversion.size(), equals - kConversion.size());
  return fmt::format("{}: '{}' is not a number", option, Printable(what.substr(equals + 3), 40));
}

// "heliostat runs show".
std::string FullName(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* up = app.get_parent(); up != nullptr; up = up->get_parent())
    name.insert(0, up->get_name() + " ");
  return name;
}

// The names that may follow `app` on the command line: its commands, or its options and those of all commands.
std::vector<std::string> NamesIn(const CLI::App& app, bool wants_options) {
  std::vector<std::string> names;
  if (!wants_options) {
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    return names;
  }
  for (const CLI::App* one = &app; one != nullptr; one = one->get_parent()) {
    for (const CLI::Option* option : one->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

// "'inspekt' is not a command of heliostat signal; did you mean inspect? See heliostat signal --help".
Error UnknownWord(const std::string& word, const CLI::App& app) {
  const bool is_option = word.starts_with("-");
  const std::string name = word.substr(0, word.find('='));
  const std::vector<std::string> names = NamesIn(app, is_option);
  const std::string near = OneOf(name, std::vector<std::string_view>(names.begin(), names.end()));
  const std::string help = fmt::format("ee {} --help", FullName(app));
  const bool is_near = near.starts_with("did you mean ");
  const char* const kind = is_option ? "an option" : names.empty() ? "expected as an argument" : "a command";
  return {ErrorCode::kInvalidArgument, "command line",
          fmt::format("'{}' is not {} of {}", Printable(name, 40), kind, FullName(app)),
          is_near ? fmt::format("{} S{}", near.substr(0, near.find('?') + 1), help) : "s" + help};
}

// Turns a failure of the parser into an Error on one line that names the --help of the command.
Error FromParser(const CLI::ParseError& failure, const CLI::App& app) {
  const CLI::App* deepest = &app;
  while (!deepest->get_subcommands().empty()) deepest = deepest->get_subcommands().front();
  const auto unknown = app.remaining(true);
  const bool lacks_command =
      dynamic_cast<const CLI::RequiredError*>(&failure) != nullptr && !deepest->get_subcommands({}).empty();
  const bool has_extras = dynamic_cast<const CLI::ExtrasError*>(&failure) != nullptr;
  if ((lacks_command || has_extras) && !unknown.empty()) return UnknownWord(unknown.front(), *deepest);
  std::string what = failure.what();
  for (char& c : what) c = c == '\n' ? ' ' : c;
  return {ErrorCode::kInvalidArgument, "command line", InPlainWords(std::move(what)),
          fmt::format("see {} --help", FullName(*deepest))};
}

// The text of `heliostat help COMMAND...`.
Result<std::string> HelpAbout(const std::vector<std::string>& words, const CLI::App& app) {
  const CLI::App* about = &app;
  for (const std::string& word : words) {
    if (word.starts_with("-")) continue;
    const auto commands = about->get_subcommands({});
    const auto next = std::ranges::find(commands, word, [](const CLI::App* one) { return one->get_name(); });
    if (next == commands.end()) return tl::unexpected(UnknownWord(word, *about));
    about = *next;
  }
  return about->help(about->get_parent() == nullptr ? "" : FullName(*about->get_parent()));
}

// Takes --json and the program after "--" out of the arguments and returns the rest. "--json" takes the next argument
// as its file only if that argument ends in .json. InputOrTakenByJson gives it back to a command that has no input.
std::vector<std::string> SplitJsonFile(int argc, char** argv, Options& options) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--") {
      // All that follows belongs to the program that `heliostat run` starts.
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
  if (!options.quiet) LogText(output.note);
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
  command->footer(command->get_footer() +
                  "\nAll commands take: --json [FILE.json], --quiet, --verbose, --log-format, --version");
  return command;
}

void AddDeviceCommands(CLI::App& app, Options& options, std::map<const CLI::App*, Command>& commands) {
  CLI::App* device =
      app.add_subcommand("device", "Read GPUs, and set power limits and clocks for a limited time (leases)");
  device->require_subcommand(1);
  device->fallthrough();
  AddCommand(*device, "list", "List the GPUs of this machine and their state", InstallDeviceList, options, commands);
  AddCommand(*device, "show", "Show everything about one GPU", InstallDeviceShow, options, commands);
  AddCommand(*device, "watch", "Show power, clocks, load and energy of GPUs live", InstallDeviceWatch, options,
             commands);
  AddCommand(*device, "set", "Set a power limit or a clock for a limited time (a lease)", InstallDeviceSet, options,
             commands);
  AddCommand(*device, "reset", "End leases and restore the settings from before them", InstallDeviceReset, options,
             commands);
  AddCommand(*device, "restore", "Put back the settings of programs that have died, where no agent does it",
             InstallDeviceRestore, options, commands);
  AddCommand(*device, "leases", "List leases: setting, user, process, time left", InstallDeviceLeases, options,
             commands);
  AddCommand(app, "doctor", "Check driver, permissions and agent on this machine, and show how to fix problems",
             InstallDoctor, options, commands);
}

void AddRunCommands(CLI::App& app, Options& options, std::map<const CLI::App*, Command>& commands) {
  CLI::App* runs =
      AddCommand(app, "runs", "List, show, compare, export and plot past and present runs of `heliostat run`",
                 InstallRuns, options, commands);
  runs->require_subcommand(0, 1);
  AddCommand(*runs, "list", "List all runs, newest first; the same as `runs` alone", InstallRunsList, options,
             commands);
  AddCommand(*runs, "show", "Show every decision of a run and its reason", InstallRunsShow, options, commands);
  AddCommand(*runs, "compare", "Compare runs side by side", InstallRunsCompare, options, commands);
  AddCommand(*runs, "export", "Write a run as CSV, JSON or one HTML page", InstallRunsExport, options, commands);
  AddCommand(*runs, "plot", "Plot a run over time in the terminal", InstallRunsPlot, options, commands);
  AddCommand(app, "report", "Show energy, carbon, cost and time of a run, compared with the default GPU setting",
             InstallReport, options, commands);
}

void AddConfigCommands(CLI::App& app, Options& options, std::map<const CLI::App*, Command>& commands) {
  CLI::App* config = AddCommand(app, "config", "Show and change the values that commands share: zone, provider, knob",
                                InstallConfig, options, commands);
  config->require_subcommand(0, 1);
  AddCommand(*config, "path", "Print the path of the user's configuration file", InstallConfigPath, options, commands);
  AddCommand(*config, "set", "Set a value in the user's configuration file", InstallConfigSet, options, commands);
  AddCommand(*config, "unset", "Remove a value from the user's configuration file", InstallConfigUnset, options,
             commands);
}

// Adds every command, in the order in which --help lists them.
void AddCommands(CLI::App& app, Options& options, std::map<const CLI::App*, Command>& commands) {
  AddCommand(app, "demo", "Simulate a week of a cluster under five policies, on built-in data, and write a report",
             InstallDemo, options, commands);
  CLI::App* signal = app.add_subcommand(
      "signal", "Inspect, convert, fetch and generate signals: carbon intensity, price, renewable power");
  signal->require_subcommand(1);
  signal->fallthrough();
  AddCommand(*signal, "inspect", "Describe a signal file: format, zone, unit, step, range, gaps, mean",
             InstallSignalInspect, options, commands);
  AddCommand(*signal, "convert", "Convert signal files of any known format to one canonical CSV file",
             InstallSignalConvert, options, commands);

  AddCommand(*signal, "fetch", "Fetch a signal from a live provider, store it and report how fresh it is",
             InstallSignalFetch, options, commands);
  AddCommand(*signal, "generate", "Generate carbon intensity, solar power, wind power and price of a built-in zone",
             InstallSignalGenerate, options, commands);
  AddCommand(*signal, "zones", "Compare the built-in zones: one week of each, or a page with a whole year",
             InstallSignalZones, options, commands);

  CLI::App* forecast = app.add_subcommand("forecast", "Forecast a signal, and measure how well models forecast it");
  forecast->require_subcommand(1);
  forecast->fallthrough();
  AddCommand(*forecast, "backtest", "Test models on past data: forecast each day from earlier values only",
             InstallForecastBacktest, options, commands);
  AddCommand(*forecast, "show", "Forecast a signal, with bands and possible futures", InstallForecastShow, options,
             commands);
  AddCommand(*forecast, "models", "List the forecast models", InstallForecastModels, options, commands);

  CLI::App* scenario = app.add_subcommand("scenario", "Make scenarios: a cluster, its signals and its work");
  scenario->require_subcommand(1);
  scenario->fallthrough();
  AddCommand(*scenario, "make", "Write a scenario with built-in or real signals and with generated or recorded jobs",
             InstallScenarioMake, options, commands);

  AddCommand(app, "plan", "Plan when, where and how fast jobs run, with a bound that no plan can beat", InstallPlan,
             options, commands);
  AddCommand(app, "simulate", "Compare policies on one scenario, and each with a bound that none can beat",
             InstallSimulate, options, commands);
  AddCommand(app, "replay", "Repeat the decisions of a decision log and compare them with the log", InstallReplay,
             options, commands);
  AddCommand(app, "run", "Run a training program and set its GPUs by the carbon intensity or price of the grid",
             InstallRun, options, commands);
  AddCommand(app, "reproduce", "Reproduce published results over many grids and seasons", InstallReproduce, options,
             commands);

  CLI::App* profile =
      app.add_subcommand("profile", "List, import and predict profiles: speed and power of models on GPUs");
  profile->require_subcommand(1);
  profile->fallthrough();
  AddCommand(*profile, "library", "List the built-in profiles, their sources and their errors", InstallProfileLibrary,
             options, commands);
  AddCommand(*profile, "import", "Fit curves to measurements and write profile tables", InstallProfileImport, options,
             commands);
  AddCommand(*profile, "transfer", "Predict models on GPUs on which they never ran, with the expected error",
             InstallProfileTransfer, options, commands);
  AddConfigCommands(app, options, commands);
  AddDeviceCommands(app, options, commands);
  AddRunCommands(app, options, commands);
}

// The parser of the whole command line, and the function of each command. Not thread-safe.
struct Parser {
  Parser() {
    UseOurHelp(app);
    app.set_version_flag("--version", std::string("heliostat ") + HELIOSTAT_VERSION);
    app.set_help_all_flag("--help-all", "Print the help of all top-level commands and exit");
    app.add_flag("-q,--quiet", options.quiet, "Print only errors on stderr");
    app.add_flag("-v,--verbose", options.verbose, "Print more detail on stderr");
    app.add_option("--log-format", options.log_format, "Print lines on stderr as text, or each as one JSON object");
    // SplitJsonFile parses it before the parser runs; it is declared here for --help.
    app.add_flag("--json", options.wants_json,
                 "Print JSON instead of a table, or write it to a file: --json FILE.json");
    app.require_subcommand(1);
    AddCommands(app, options, commands);
    app.footer(kReference);  // later than the commands, which would inherit it
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  Options options;
  CLI::App app{kAbout, "heliostat"};
  std::map<const CLI::App*, Command> commands;
};

// The format of the log, for errors of the command line too: its option, else as configured. A configuration that
// cannot be read is an error of the commands that use it.
Status ChooseLogFormat(const std::vector<std::string>& arguments) {
  std::string format;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    constexpr std::string_view kOption = "--log-format";
    if (arguments[i] == kOption && i + 1 < arguments.size()) format = arguments[i + 1];
    if (arguments[i].starts_with(std::string(kOption) + "=")) format = arguments[i].substr(kOption.size() + 1);
  }
  if (format.empty()) {
    const auto config = user_config::Config::Read(ProcessEnvironment());
    if (config) format = config->text(user_config::Key::kLogFormat);
  } else if (const auto known = user_config::CheckValue(user_config::Key::kLogFormat, format, "--log-format"); !known) {
    return Propagate(known);
  }
  SetLogFormat(format == "json" ? LogFormat::kJson : LogFormat::kText);
  return {};
}

// Runs the command that was parsed.
int RunCommand(const Parser& parser) {
  const CLI::App* chosen = &parser.app;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  const auto output = parser.commands.at(chosen)();
  if (!output) return Complain(output.error());
  const auto delivered = Deliver(*output, parser.options);
  if (output->ending) {
    if (!delivered) (void)Complain(delivered.error());
    if (output->verdict) (void)Complain(*output->verdict);
    process::EndLike(output->ending->how, output->ending->had_terminal);
  }
  if (!delivered) return Complain(delivered.error());
  return output->verdict ? Complain(*output->verdict) : 0;
}

int RunChecked(int argc, char** argv) {
  Parser parser;
  Options& options = parser.options;
  std::vector<std::string> arguments = SplitJsonFile(argc, argv, options);
  if (const auto bad = ChooseLogFormat(arguments); !bad) return Complain(bad.error());
  if (!arguments.empty() && arguments.front() == "help") {
    const auto help = HelpAbout({arguments.begin() + 1, arguments.end()}, parser.app);
    if (!help) return Complain(help.error());
    fmt::print("{}", *help);
    return 0;
  }
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes a vector in reverse order
  try {
    parser.app.parse(arguments);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return parser.app.exit(wanted);
  } catch (const CLI::ParseError& failure) {
    return Complain(FromParser(failure, parser.app));
  }
  if (options.quiet && options.verbose) {
    return Complain(
        {ErrorCode::kInvalidArgument, "command line", "--quiet and --verbose are both given", "one of them"});
  }
  SetLogLevel(options.quiet ? LogLevel::kError : options.verbose ? LogLevel::kDebug : LogLevel::kInfo);
  return RunCommand(parser);
}

void AddHelpOf(const CLI::App& app, std::vector<std::string>& all) {
  all.push_back(app.help());
  for (const CLI::App* command : app.get_subcommands({})) AddHelpOf(*command, all);
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

std::vector<std::string> HelpOfAllCommands() {
  const Parser parser;
  std::vector<std::string> all;
  AddHelpOf(parser.app, all);
  return all;
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
