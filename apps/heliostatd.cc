// The node agent: turns GPU knobs on others' behalf, and puts them back.
#include <fmt/format.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>

#include "heliostat/base/core/log.h"
#include "heliostat/node/agent/run.h"

namespace {

struct Arguments {
  heliostat::agent::AgentOptions options;
  bool only_explains = false;
};

constexpr const char* kHelp =
    "heliostatd: the node agent of Heliostat\n"
    "\n"
    "  --config FILE    the policy (default /etc/heliostat/agent.toml)\n"
    "  --check-config   say what the policy allows, and end\n"
    "  --restore        put every card back where it was before the agent turned it, and end\n"
    "  --quiet          warnings and errors only\n"
    "  --verbose        more\n"
    "  --version, --help\n";

// Nothing when there is nothing to do but to end with `status`.
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
      heliostat::SetLogLevel(heliostat::LogLevel::kWarning);
    } else if (argument == "--verbose") {
      heliostat::SetLogLevel(heliostat::LogLevel::kDebug);
    } else if (argument == "--version") {
      fmt::print("heliostatd {}\n", HELIOSTAT_VERSION);
      return false;
    } else if (argument == "--help") {
      fmt::print("{}", kHelp);
      return false;
    } else {
      fmt::print(stderr, "heliostatd: error: {}: is not known or lacks its value; see --help\n",
                 heliostat::Printable(argument, 100));
      status = 2;
      return false;
    }
  }
  return true;
}

// Before there is any other thread, so that all of them leave signals to the one that serves.
int SignalFile() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int one : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, one);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  // A log that nobody reads any more must not end the agent.
  (void)std::signal(SIGPIPE, SIG_IGN);
  return ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Gives the exit status.
int Tell(const heliostat::Error& error) {
  fmt::print(stderr, "heliostatd: error: {}\n", error.Line());
  return heliostat::ExitStatus(error.code);
}

int Explain(const heliostat::agent::AgentOptions& options) {
  const auto text = heliostat::agent::ExplainPolicy(options);
  if (!text) return Tell(text.error());
  fmt::print("{}", *text);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  int status = 0;
  if (!ReadArguments(argc, argv, arguments, status)) return status;
  if (arguments.only_explains) return Explain(arguments.options);
  arguments.options.signals = SignalFile();
  const auto outcome = heliostat::agent::Run(arguments.options, heliostat::ProcessEnvironment());
  if (!outcome) {
    status = Tell(outcome.error());
  } else if (*outcome == heliostat::agent::ServiceEnding::kThreadsLeft) {
    // A thread hangs in the driver, and so would whatever ends in order.
    std::fflush(nullptr);
    ::_exit(0);
  }
  return status;
}
