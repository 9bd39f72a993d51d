// The controller of a cluster: follows it, accounts its electricity, and decides for it in shadow.
#include <fmt/format.h>
#include <sys/signalfd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>

#include "heliostat/base/core/log.h"
#include "heliostat/base/core/log_format.h"
#include "heliostat/control/controller/daemon.h"

namespace {

struct Arguments {
  heliostat::controller::DaemonOptions options;
  bool only_checks = false;
};

constexpr const char* kHelp =
    "heliostatctld: the cluster controller of Heliostat\n"
    "\n"
    "  --config FILE    config (default /etc/heliostat/controller.toml)\n"
    "  --check-config   read config and signals, print what they mean, and exit\n"
    "  --quiet          log warnings and errors only\n"
    "  --verbose        log more\n"
    "  --log-format F   text or json: each line on stderr as text, or as one JSON object\n"
    "  --version        print the version, and exit\n"
    "  --help           print this text, and exit\n"
    "\n"
    "It needs no root: run it as a user who may see all jobs. Ask it with `heliostat cluster status`.\n";

// Returns the exit status.
int PrintError(const heliostat::Error& error) {
  if (heliostat::PresentLogFormat() == heliostat::LogFormat::kJson) {
    heliostat::LogError(error);
  } else {
    fmt::print(stderr, "heliostatctld: error: {}\n", error.Line());
  }
  return heliostat::ExitStatus(error.code);
}

// False when the program has to exit with `status`: after --version or --help, or on a bad argument.
bool ReadArguments(int argc, char** argv, Arguments& arguments, int& status) {
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    std::string_view value;
    bool has_value = false;
    if (const auto equals = argument.find('='); equals != std::string_view::npos) {
      value = argument.substr(equals + 1);
      argument = argument.substr(0, equals);
      has_value = true;
    } else if ((argument == "--config" || argument == "--log-format") && i + 1 < argc) {
      value = argv[++i];
      has_value = true;
    }
    if (argument == "--config" && has_value) {
      arguments.options.config = value;
    } else if (argument == "--log-format" && (value == "text" || value == "json")) {
      heliostat::SetLogFormat(value == "json" ? heliostat::LogFormat::kJson : heliostat::LogFormat::kText);
    } else if (argument == "--check-config" && !has_value) {
      arguments.only_checks = true;
    } else if (argument == "--quiet" && !has_value) {
      heliostat::SetLogLevel(heliostat::LogLevel::kWarning);
    } else if (argument == "--verbose" && !has_value) {
      heliostat::SetLogLevel(heliostat::LogLevel::kDebug);
    } else if (argument == "--version" && !has_value) {
      fmt::print("heliostatctld {}\n", HELIOSTAT_VERSION);
      return false;
    } else if (argument == "--help" && !has_value) {
      fmt::print("{}", kHelp);
      return false;
    } else {
      status = PrintError({heliostat::ErrorCode::kInvalidArgument, std::string(argv[i]),
                           "is unknown or lacks its value", "see --help"});
      return false;
    }
  }
  return true;
}

// Blocks the signals of the daemon and returns a descriptor to read them from. Must run before any thread starts.
int SignalFile() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int one : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, one);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  (void)std::signal(SIGPIPE, SIG_IGN);
  return ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  int status = 0;
  if (!ReadArguments(argc, argv, arguments, status)) return status;
  if (arguments.only_checks) {
    const auto text = heliostat::controller::CheckConfig(arguments.options, heliostat::ProcessEnvironment());
    if (!text) return PrintError(text.error());
    fmt::print("{}", *text);
    return 0;
  }
  arguments.options.signals = SignalFile();
  const auto outcome = heliostat::controller::RunDaemon(arguments.options, heliostat::ProcessEnvironment());
  return outcome ? 0 : PrintError(outcome.error());
}
