#include "heliostat/ui/cli/app.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/log.h"
#include "heliostat/base/core/log_format.h"
#include "heliostat/base/io/file.h"
#include "heliostat/ui/cli/command_list.h"
#include "heliostat/ui/cli/environment_page.h"
#include "heliostat/ui/cli/fake_gpus.h"
#include "heliostat/ui/cli/parser_message.h"
#include "heliostat/ui/cli/shell_words.h"
#include "heliostat/ui/report/terminal.h"
#include "heliostat/ui/user_config/config.h"

namespace heliostat::cli {
namespace {

constexpr const char* kAbout =
    "Heliostat: carbon- and price-aware resource manager for GPU clusters.\n"
    "\n"
    "Results go to stdout (a table, or JSON with --json). Progress, warnings and errors go to stderr.\n"
    "Exit status: 0 success, 1 failure, 2 bad usage or bad input, 3 no feasible solution exists.";

constexpr const char* kNotes =
    R"(`heliostat help COMMAND` prints the help of a command, `heliostat help all` that of every command, `heliostat help
environment` exit statuses and environment variables. `heliostat config` shows the values that commands share.

Examples:
  heliostat demo
  heliostat signal inspect carbon.csv
  heliostat run -- python train.py)";

// Below the help of each command.
constexpr const char* kForAll =
    "\n\nAll commands take --json [FILE.json], --quiet, --verbose and --log-format: see heliostat --help.";

int Complain(const Error& error) {
  LogError(error);
  return ExitStatus(error.code);
}

const CLI::App* DeepestOf(const CLI::App& app) {
  const CLI::App* deepest = &app;
  while (!deepest->get_subcommands().empty()) deepest = deepest->get_subcommands().front();
  return deepest;
}

// The names that may follow `app` on the command line: its commands, or its options and those of all commands without
// dashes.
std::vector<std::string> NamesIn(const CLI::App& app, bool wants_options) {
  std::vector<std::string> names;
  if (!wants_options) {
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    return names;
  }
  for (const CLI::App* one = &app; one != nullptr; one = one->get_parent()) {
    for (const CLI::Option* option : one->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back(name);
    }
  }
  return names;
}

// The full name of a command `word` below another one: "heliostat signal inspect". Empty when there is none.
std::string Elsewhere(const std::string& word, const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == word) return FullName(*command);
    if (const std::string below = Elsewhere(word, *command); !below.empty()) return below;
  }
  return "";
}

Error UnknownWordIn(const std::string& word, const CLI::App& app) {
  const CLI::App* root = &app;
  while (root->get_parent() != nullptr) root = root->get_parent();
  return UnknownWord(word, {FullName(app), NamesIn(app, word.starts_with("-")), Elsewhere(word, *root)});
}

// Turns a failure of the parser into an Error on one line that names the --help of the command.
Error FromParser(const CLI::ParseError& failure, const CLI::App& app) {
  const CLI::App& deepest = *DeepestOf(app);
  const auto unknown = app.remaining(true);
  const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&failure) != nullptr;
  if ((is_missing || dynamic_cast<const CLI::ExtrasError*>(&failure) != nullptr) && !unknown.empty()) {
    // An unknown option may be why something is missing. A word after it may be its value.
    const auto option = std::ranges::find_if(unknown, [](const std::string& one) { return one.starts_with('-'); });
    return UnknownWordIn(option != unknown.end() ? *option : unknown.front(), deepest);
  }
  return InPlainWords(failure.what(), fmt::format("see {} --help", FullName(deepest)));
}

// The width of help: that of the terminal or COLUMNS, at most 120; 100 where there is neither.
std::size_t HelpWidth() {
  constexpr std::size_t kWidest = 120;
  return std::min(report::TerminalWidth(), kWidest);
}

void AddPages(const CLI::App& app, std::vector<HelpPage>& pages) {
  pages.push_back(PageOf(app));
  for (const CLI::App* command : app.get_subcommands({})) AddPages(*command, pages);
}

std::string HelpOfAll(const CLI::App& app) {
  std::vector<HelpPage> pages;
  AddPages(app, pages);
  std::string text;
  for (const HelpPage& page : pages) {
    text += fmt::format("{}=== {} ===\n\n{}", text.empty() ? "" : "\n\n", page.command, TextOf(page, HelpWidth()));
  }
  return text;
}

// What `heliostat help WORDS` prints.
Result<Output> HelpAbout(const std::vector<std::string>& words, const CLI::App& app) {
  Output output;
  if (words == std::vector<std::string>{"all"}) {
    std::vector<HelpPage> pages;
    AddPages(app, pages);
    for (const HelpPage& page : pages) output.json.Append(JsonOf(page));
    output.text = HelpOfAll(app);
    return output;
  }
  if (words == std::vector<std::string>{"environment"}) {
    output.json = JsonOf(EnvironmentPage());
    output.text = TextOf(EnvironmentPage(), HelpWidth());
    return output;
  }
  const CLI::App* about = &app;
  for (const std::string& word : words) {
    const auto commands = about->get_subcommands({});
    const auto next = std::ranges::find(commands, word, [](const CLI::App* one) { return one->get_name(); });
    if (next == commands.end()) return tl::unexpected(UnknownWordIn(word, *about));
    about = *next;
  }
  const HelpPage page = PageOf(*about);
  output.json = JsonOf(page);
  output.text = TextOf(page, HelpWidth());
  return output;
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
      options.json_file = argument == "--json=-" ? "" : argument.substr(7);  // - is stdout, as for --output
    } else {
      arguments.push_back(argument);
    }
  }
  return arguments;
}

// Prints to stdout, with what is left of earlier prints.
Status Print(std::string_view text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) == 0 && is_written) return {};
  return Fail(ErrorCode::kInternal, "stdout", fmt::format("cannot be written: {}", std::strerror(errno)));
}

Status Deliver(const Output& output, const Options& options) {
  if (!options.quiet) LogText(output.note);
  if (!options.wants_json) {
    // Tables and charts fit already; sentences do not.
    const auto width = report::KnownWidth(ProcessEnvironment(), STDOUT_FILENO);
    const std::string text = output.text + output.files.value_or("");
    return Print(width ? report::Wrapped(text, *width) : text);
  }
  if (options.json_file.empty()) return Print(output.json.Dump() + "\n");
  if (auto bad = io::WriteFileAtomically(options.json_file, output.json.Dump() + "\n"); !bad) return bad;
  return Print(output.files ? fmt::format("json: {}\n{}", options.json_file, *output.files) : "");
}

// Opens /dev/null in the place of standard files that are closed. Otherwise the next file that is opened, such as the
// store, would take their number, and prints would go into it. A closed stdout still cannot be written to.
void KeepStandardFiles() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    (void)::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);  // takes the lowest number that is free
  }
}

// The exit status after a text that the user asked for is printed.
int Answer(std::string_view text) {
  const auto printed = Print(text);
  return printed ? 0 : Complain(printed.error());
}

// The command above `path`, which has been added.
CLI::App* ParentOf(const std::string& path, CLI::App& app) {
  const auto blank = path.find(' ');
  return blank == std::string::npos ? &app : app.get_subcommand(path.substr(0, blank));
}

void AddCommand(const ListedCommand& listed, CLI::App& app, Options& options,
                std::map<const CLI::App*, Command>& commands) {
  const std::string path = listed.path;
  CLI::App* const parent = ParentOf(path, app);
  CLI::App* const command = parent->add_subcommand(path.substr(path.rfind(' ') + 1), listed.about);
  command->fallthrough();
  command->footer("");  // the parser copies that of the parent
  if (parent != &app) {
    const bool runs_alone = commands.contains(parent);
    parent->require_subcommand(runs_alone ? 0 : 1, 1);
  }
  if (listed.install != nullptr) commands[command] = listed.install(Syntax(*command), options);
  command->footer((listed.install != nullptr ? command->get_footer() : fmt::format("Example: {}", listed.example)) +
                  kForAll);
  // Declared before the options are parsed, and obeyed before the command runs.
  if (listed.takes_fakes) {
    Syntax(*command).AddOption("--fake-gpu GPUS", options.fake_gpus,
                               "Use made-up GPUs instead of those of this machine: H200, 2xH200, H200,A40");
  }
}

void AddHelpCommand(CLI::App& app, std::map<const CLI::App*, Command>& commands) {
  CLI::App* help = app.add_subcommand("help", "Print the help of a command");
  help->fallthrough();
  const auto words = std::make_shared<std::vector<std::string>>();
  Syntax(*help).AddOption("COMMAND", *words, "Words of a command, such as signal inspect; all; or environment");
  help->footer(std::string("Examples:\n  heliostat help run\n  heliostat help signal inspect") + kForAll);
  commands[help] = [words, &app] { return HelpAbout(*words, app); };
}

// The parser of the whole command line, and the function of each command. Not thread-safe.
struct Parser {
  Parser() {
    app.set_version_flag("--version", std::string("heliostat ") + HELIOSTAT_VERSION);
    app.set_help_all_flag("--help-all", "Print the help of all commands and exit");
    app.add_flag("-q,--quiet", options.quiet, "Print only errors on stderr");
    app.add_flag("-v,--verbose", options.verbose, "Print more detail on stderr");
    Syntax(app).AddOption(
        "--log-format text|json", options.log_format,
        "Print lines on stderr as text, or each as one JSON object (default: as configured, else text)");
    // SplitJsonFile parses it before the parser runs; it is declared here for --help.
    app.add_flag("--json", options.wants_json,
                 "Print JSON instead of a table, or write it to a file: --json FILE.json");
    app.require_subcommand(1);
    app.footer(kNotes);
    for (const ListedCommand& listed : CommandList()) AddCommand(listed, app, options, commands);
    AddHelpCommand(app, commands);
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
    if (!config && config.error().where == "HELIOSTAT_LOG_FORMAT") Log(LogLevel::kWarning, "{}", config.error().Line());
  } else if (const auto known = user_config::CheckValue(user_config::Key::kLogFormat, format, "--log-format"); !known) {
    return Propagate(known);
  }
  SetLogFormat(format == "json" ? LogFormat::kJson : LogFormat::kText);
  return {};
}

// Runs the command that was parsed.
int RunCommand(const Parser& parser) {
  if (!parser.options.fake_gpus.empty()) {
    const auto used = UseFakeGpus(parser.options.fake_gpus, ProcessEnvironment());
    if (!used) return Complain(used.error());
  }
  const auto output = parser.commands.at(DeepestOf(parser.app))();
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
  std::vector<std::string> words{"heliostat"};
  words.insert(words.end(), argv + std::min(argc, 1), argv + argc);
  options.made_by = {std::string("heliostat ") + HELIOSTAT_VERSION, InShell(words)};
  std::vector<std::string> arguments = SplitJsonFile(argc, argv, options);
  if (const auto bad = ChooseLogFormat(arguments); !bad) return Complain(bad.error());
  const std::vector<std::string> given = arguments;
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes a vector in reverse order
  try {
    parser.app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    return Answer(TextOf(PageOf(*DeepestOf(parser.app)), HelpWidth()));
  } catch (const CLI::CallForAllHelp&) {
    return Answer(HelpOfAll(parser.app));
  } catch (const CLI::CallForVersion&) {
    return Answer(fmt::format("heliostat {}\n", HELIOSTAT_VERSION));
  } catch (const CLI::ParseError& failure) {
    return Complain(FromParser(failure, parser.app));
  }
  if (const auto bad = CheckLists(*DeepestOf(parser.app), given); !bad) return Complain(bad.error());
  if (options.quiet && options.verbose) {
    return Complain(
        {ErrorCode::kInvalidArgument, "command line", "--quiet and --verbose are both given", "one of them"});
  }
  SetLogLevel(options.quiet ? LogLevel::kError : options.verbose ? LogLevel::kDebug : LogLevel::kInfo);
  return RunCommand(parser);
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

std::vector<HelpPage> HelpPages() {
  const Parser parser;
  std::vector<HelpPage> pages;
  AddPages(parser.app, pages);
  return pages;
}

int Run(int argc, char** argv) {
  try {
    KeepStandardFiles();
    return RunChecked(argc, argv);
  } catch (const std::bad_alloc&) {
    return Complain({ErrorCode::kInternal, "", "out of memory", ""});
  } catch (const std::exception& failure) {
    return Complain({ErrorCode::kInternal, "", failure.what(), ""});
  }
}

}  // namespace heliostat::cli
