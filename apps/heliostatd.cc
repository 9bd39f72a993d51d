// The node agent: sets GPU knobs on request and restores them.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>

#include "heliostat/base/core/log.h"
#include "heliostat/base/core/log_format.h"
#include "heliostat/node/agent/run.h"

namespace {

struct Arguments {
  heliostat::agent::AgentOptions options;
  bool only_explains = false;
  bool is_quiet = false;
  bool is_verbose = false;
};

constexpr const char* kHelp =
    "heliostatd: the node agent of Heliostat\n"
    "\n"
    "  --config FILE    policy file (default /etc/heliostat/agent.toml)\n"
    "  --check-config   print what the policy allows, and exit\n"
    "  --restore        restore the previous setting of every GPU, and exit; status 1 when one may still be set\n"
    "  --quiet          log warnings and errors only\n"
    "  --verbose        log more\n"
    "  --log-format F   text or json: each line on stderr as text, or as one JSON object\n"
    "  --version        print the version, and exit\n"
    "  --help           print this text, and exit\n";

// Returns the exit status.
int PrintError(const heliostat::Error& error) {
  if (heliostat::PresentLogFormat() == heliostat::LogFormat::kJson) {
    heliostat::LogError(error);
  } else {
    fmt::print(stderr, "heliostatd: error: {}\n", error.Line());
  }
  return heliostat::ExitStatus(error.code);
}

// False for a format that is not known.
bool ChooseLogFormat(std::string_view name) {
  if (name != "text" && name != "json") return false;
  heliostat::SetLogFormat(name == "json" ? heliostat::LogFormat::kJson : heliostat::LogFormat::kText);
  return true;
}

// False when the program has to exit with `status`: after --version or --help, or on a bad argument.
bool ReadArguments(int argc, char** argv, Arguments& arguments, int& status) {
  heliostat::agent::AgentOptions& options = arguments.options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--config" && i + 1 < argc) {
      options.config = argv[++i];
    } else if (argument.starts_with("--config=")) {
      options.config = argument.substr(std::string_view("--config=").size());
    } else if (argument == "--check-config") {
      arguments.only_explains = true;
    } else if (argument == "--restore") {
      options.task = heliostat::agent::AgentOptions::Task::kRestore;
    } else if (argument == "--quiet") {
      arguments.is_quiet = true;
    } else if (argument == "--verbose") {
      arguments.is_verbose = true;
    } else if (argument == "--log-format" && i + 1 < argc && ChooseLogFormat(argv[i + 1])) {
      ++i;
    } else if (argument.starts_with("--log-format=") && ChooseLogFormat(argument.substr(13))) {
      continue;
    } else if (argument == "--version") {
      fmt::print("heliostatd {}\n", HELIOSTAT_VERSION);
      return false;
    } else if (argument == "--help") {
      fmt::print("{}", kHelp);
      return false;
    } else {
      status = PrintError({heliostat::ErrorCode::kInvalidArgument, std::string(argument),
                           "is unknown or lacks its value", "see --help"});
      return false;
    }
  }
  return true;
}

// Blocks the signals of the agent and returns a descriptor to read them from. Must run before any other thread starts,
// so that all threads inherit the mask and only the serving thread gets the signals.
int SignalFile() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int one : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, one);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  // A closed log pipe must not end the agent.
  (void)std::signal(SIGPIPE, SIG_IGN);
  return ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

int Explain(const heliostat::agent::AgentOptions& options) {
  const auto text = heliostat::agent::ExplainPolicy(options);
  if (!text) return PrintError(text.error());
  fmt::print("{}", *text);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  int status = 0;
  if (!ReadArguments(argc, argv, arguments, status)) return status;
  if (arguments.is_quiet && arguments.is_verbose) {
    return PrintError({heliostat::ErrorCode::kInvalidArgument, "command line", "--quiet and --verbose are both given",
                       "one of them"});
  }
  if (arguments.is_quiet) heliostat::SetLogLevel(heliostat::LogLevel::kWarning);
  if (arguments.is_verbose) heliostat::SetLogLevel(heliostat::LogLevel::kDebug);
  if (arguments.only_explains) return Explain(arguments.options);
  arguments.options.signals = SignalFile();
  // One heap for the threads of all GPUs: each of its own would grow to its largest use and stay there for months.
  (void)::mallopt(M_ARENA_MAX, 1);
  const auto outcome = heliostat::agent::Run(arguments.options, heliostat::ProcessEnvironment());
  if (!outcome) {
    status = PrintError(outcome.error());
  } else if (*outcome != heliostat::agent::ServiceEnding::kInOrder) {
    // A thread may hang in the driver; a regular exit would wait for it.
    std::fflush(nullptr);
    ::_exit(*outcome == heliostat::agent::ServiceEnding::kNotRestored ? 1 : 0);
  }
  return status;
}
