#include "heliostat/control/controller/daemon.h"

#include <fmt/format.h>
#include <poll.h>
#include <pwd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <random>
#include <thread>

#include "heliostat/base/core/log.h"
#include "heliostat/control/cluster/slurm_cluster.h"
#include "heliostat/control/controller/answers.h"
#include "heliostat/control/controller/controller.h"
#include "heliostat/control/controller/open_signals.h"
#include "heliostat/node/local_socket/line_server.h"
#include "heliostat/node/local_socket/systemd.h"

namespace heliostat::controller {
namespace {

// The name of a user, or the number of one that has none.
std::string UserName(uid_t uid) {
  std::array<char, 16384> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) return found->pw_name;
  return std::to_string(uid);
}

// Operators are root, the user of this daemon, and those of the config.
Asker AskerOf(const local_socket::Peer& peer, const Config& config) {
  Asker asker{UserName(peer.uid), peer.is_root() || peer.uid == ::geteuid()};
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
  if (const Status bad = controller.Save(); !bad) LogLine(LogLevel::kError, bad.error().Line());
  return true;
}

// Commands are answered in a thread of their own, so that a slow cluster does not delay them.
class AnswerThread {
 public:
  AnswerThread(local_socket::Listener listener, const Controller& controller, Answers answers)
      : answers_(std::move(answers)),
        server_(std::move(listener),
                [this, &controller](const local_socket::Peer& peer, std::string_view line) {
                  return answers_.To(AskerOf(peer, controller.config()), line);
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

}  // namespace

Status RunDaemon(const DaemonOptions& options, const Environment& environment) {
  auto config = ReadConfig(options.config);
  if (!config) return Propagate(config);
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
  const AnswerThread answers(
      *std::move(listener), running,
      Answers({[&running] { return running.report(); }, [&running](Mode mode) { running.RequestMode(mode); }, state}));
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
  return Explain(*config);
}

}  // namespace heliostat::controller
