#include "heliostat/control/controller/daemon.h"

#include <fmt/format.h>
#include <poll.h>
#include <pwd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <random>
#include <thread>

#include "heliostat/base/core/log.h"
#include "heliostat/control/cluster/slurm_cluster.h"
#include "heliostat/control/controller/answers.h"
#include "heliostat/control/controller/controller.h"
#include "heliostat/control/controller/memory.h"
#include "heliostat/control/controller/open_signals.h"
#include "heliostat/node/local_socket/line_server.h"
#include "heliostat/node/local_socket/systemd.h"
#include "heliostat/node/munge_channel/munge_server.h"

namespace heliostat::controller {
namespace {

constexpr const char* kService = "controller";  // what requests from other hosts have to be for

// The name of a user, or the number of one that has none.
std::string UserName(uid_t uid) {
  std::array<char, 16384> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) return found->pw_name;
  return std::to_string(uid);
}

// Operators are root, the user of this daemon, and those of the config.
Asker AskerOf(uid_t uid, const Config& config) {
  Asker asker{UserName(uid), uid == 0 || uid == ::geteuid()};
  asker.is_operator |=
      std::find(config.operators.begin(), config.operators.end(), asker.user) != config.operators.end();
  return asker;
}

// Waits until a signal arrives or `time` is over. True to go on.
bool Wait(int signals, std::chrono::milliseconds time, Controller& controller) {
  pollfd file{signals, POLLIN, 0};
  if (::poll(&file, 1, static_cast<int>(time.count())) <= 0) return true;
  signalfd_siginfo info{};
  if (::read(signals, &info, sizeof(info)) != sizeof(info)) return true;
  if (info.ssi_signo != SIGHUP) return false;
  controller.SaveSoon();
  return true;
}

// Commands are answered in a thread of their own, so that a slow cluster does not delay them.
class AnswerThread {
 public:
  AnswerThread(local_socket::Listener listener, const Controller& controller, Answers answers)
      : answers_(std::move(answers)),
        server_(std::move(listener),
                [this, &controller](const local_socket::Peer& peer, std::string_view line) {
                  return answers_.To(AskerOf(peer.uid, controller.config()), line);
                }),
        thread_([this] { server_.Run(); }) {}
  ~AnswerThread() {
    server_.Stop();
    thread_.join();
  }
  AnswerThread(const AnswerThread&) = delete;
  AnswerThread& operator=(const AnswerThread&) = delete;

 private:
  Answers answers_;
  local_socket::LineServer server_;
  std::thread thread_;
};

munge_channel::MungeCommands CommandsOf(const RemoteConfig& remote) {
  munge_channel::MungeCommands commands;
  commands.socket = remote.munge_socket;
  return commands;
}

// Other hosts may be answered later, so this ends nothing.
void WarnOfMunge(Config& config) {
  if (!config.remote) return;
  const auto made = munge_channel::Encode(CommandsOf(*config.remote), "", ::geteuid());
  if (made) return;
  config.warnings.push_back(made.error().Line() + ": other hosts are refused until MUNGE works");
}

// Those of other hosts in threads of their own, so that they disturb neither. None when the config has no such table.
Result<std::unique_ptr<munge_channel::MungeServer>> AnswerRemotely(const Config& config, const Answers& answers) {
  if (!config.remote) return nullptr;
  auto listener = munge_channel::ListenTcp(config.remote->listen);
  if (!listener) return Propagate(listener);
  munge_channel::MungeServerOptions options;
  options.service = kService;
  options.names = config.remote->names;
  options.commands = CommandsOf(*config.remote);
  const auto answer = [&config, answers](uid_t uid, std::string_view line) {
    return answers.To(AskerOf(uid, config), line);
  };
  return std::make_unique<munge_channel::MungeServer>(*std::move(listener), answer, std::move(options));
}

}  // namespace

Status RunDaemon(const DaemonOptions& options, const Environment& environment) {
  KeepMemorySmall();
  auto config = ReadConfig(options.config);
  if (!config) return Propagate(config);
  WarnOfMunge(*config);
  for (const std::string& warning : config->warnings) LogLine(LogLevel::kWarning, warning);
  auto store = StateStore::Open(config->state);
  if (!store) return Propagate(store);
  const SystemClock clock;
  cluster::ProcessRunner commands(ProcessVariables());
  cluster::SlurmCluster slurm(commands, clock, RandomStream(std::random_device{}()));
  const std::string state = config->state;
  const std::string socket = config->socket;
  const Duration poll = config->poll;
  const auto open = [&](Instant begun) { return OpenConfigured(*config, begun, environment, clock); };
  auto controller = Controller::Make(*config, {slurm, clock, **store}, open);
  if (!controller) return Propagate(controller);
  auto listener = local_socket::Listener::Open(socket, environment);
  if (!listener) return Propagate(listener);
  Controller& running = **controller;
  const Answers answers(
      {[&running] { return running.report(); }, [&running](Mode mode) { running.RequestMode(mode); }, state});
  const AnswerThread local(*std::move(listener), running, answers);
  const auto remote = AnswerRemotely(running.config(), answers);
  if (!remote) return Propagate(remote);
  const local_socket::Notifier systemd(environment);
  systemd.Send("READY=1");
  std::chrono::milliseconds wait{0};
  while (Wait(options.signals, wait, running)) {
    const auto begin = clock.Steady();
    running.Cycle();
    systemd.Send("WATCHDOG=1");
    const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(clock.Steady() - begin);
    wait = std::max(std::chrono::milliseconds(100), std::chrono::milliseconds(poll) - spent);
  }
  systemd.Send("STOPPING=1");
  return running.Save();
}

Result<std::string> CheckConfig(const DaemonOptions& options, const Environment& environment) {
  auto config = ReadConfig(options.config);
  if (!config) return Propagate(config);
  const SystemClock clock;
  if (const auto signals = OpenConfigured(*config, clock.Now(), environment, clock); !signals)
    return Propagate(signals);
  WarnOfMunge(*config);
  return Explain(*config);
}

}  // namespace heliostat::controller
