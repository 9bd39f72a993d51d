#include "heliostat/node/agent/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "heliostat/base/core/log.h"
#include "heliostat/node/agent/audit.h"
#include "heliostat/node/agent/config.h"
#include "heliostat/node/agent/gpu_search.h"
#include "heliostat/node/agent/gpu_workers.h"
#include "heliostat/node/agent/request_handler.h"
#include "heliostat/node/agent/server.h"
#include "heliostat/node/device/open_driver.h"
#include "heliostat/node/lease/folder.h"
#include "heliostat/node/lease/machine.h"
#include "heliostat/node/local_socket/listen.h"
#include "heliostat/node/local_socket/systemd.h"

namespace heliostat::agent {
namespace {

// Enough for eight cards and a slow disk; systemd waits longer.
constexpr std::chrono::milliseconds kGrace = std::chrono::seconds(5);

// For a call that looks for GPUs; one that takes longer hangs.
constexpr std::chrono::milliseconds kSearchGrace = std::chrono::seconds(1);

Result<Config> ReadPolicy(const AgentOptions& options) {
  if (!options.config.empty()) return ReadConfig(options.config, SystemAccounts());
  auto config = ReadConfig(kDefaultConfig, SystemAccounts());
  if (config || config.error().code != ErrorCode::kNotFound) return config;
  Config empty;
  empty.warnings.push_back(fmt::format("{}: does not exist; only root may set anything", kDefaultConfig));
  return empty;
}

// The parts of the agent, in the order of construction.
struct Agent {
  Agent(Config read, lease::OpenPurpose purpose)
      : config(std::move(read)),
        machine(lease::ThisMachine()),
        audit(config.audit, [this] { return machine->Now(); }),
        workers(std::make_unique<GpuWorkers>(
            GpuWorkers::Parts{machine.get(), &audit, SteadyClockNow, config.state, config.sample, config.hang,
                              [this, purpose](const device::Identity& gpu) {
                                return lease::OpenOptions{purpose, BasesOf(config.base_clocks, gpu)};
                              }})) {
    for (const std::string& warning : config.warnings) LogLine(LogLevel::kWarning, warning);
  }

  // Adds the GPUs that the driver has now, however long it takes.
  void AddGpus(const Environment& environment) {
    const auto driver = device::OpenDriver(environment);
    auto gpus = driver->Gpus();
    for (const std::string& trouble : driver->troubles()) LogLine(LogLevel::kWarning, trouble);
    if (!gpus) LogLine(LogLevel::kWarning, gpus.error().Line());
    workers->Add(gpus ? *std::move(gpus) : std::vector<std::unique_ptr<device::Gpu>>());
  }
  // Puts the cards back.
  ServiceEnding Close() {
    const auto left = workers->Stop(kGrace);
    for (const std::string& trouble : left) LogLine(LogLevel::kError, trouble);
    return left.empty() ? ServiceEnding::kInOrder : ServiceEnding::kThreadsLeft;
  }

  Config config;
  std::unique_ptr<lease::Machine> machine;
  Audit audit;
  std::unique_ptr<GpuWorkers> workers;
};

Result<ServiceEnding> Serve(const AgentOptions& options, const Environment& environment) {
  auto config = ReadPolicy(options);
  if (!config) return Propagate(config);
  // Locked before any card is touched: two agents would restore each other's settings.
  const auto folder = lease::Folder::Open(config->state);
  if (!folder) return Propagate(folder);
  const auto listener = local_socket::Listener::Open(config->socket, environment);
  if (!listener) return Propagate(listener);
  const local_socket::Notifier notifier(environment);
  auto agent = std::make_unique<Agent>(*std::move(config), lease::OpenPurpose::kServe);
  GpuSearch search([environment] { return device::OpenDriver(environment); });
  RequestHandler handler({agent->workers.get(),
                          &agent->audit,
                          agent->machine.get(),
                          SteadyClockNow,
                          ReadProcessFacts,
                          "none",
                          {"the driver has not answered yet"}},
                         agent->config);
  ServiceEnding ending = ServiceEnding::kInOrder;
  {
    Server server({&*listener, agent->workers.get(), &handler, &agent->audit, agent->machine.get(), &notifier,
                   options.signals, local_socket::PeerOf, [&options] { return ReadPolicy(options); },
                   agent->config.max_connections, SteadyClockNow, agent->config.idle, &search});
    server.Run();
    // While connections are still open, so that waiting clients get answers.
    ending = agent->Close();
  }
  // Threads that hang in the driver still use the agent, so it is not destroyed.
  const bool is_used = ending == ServiceEnding::kThreadsLeft;
  // A log that blocks keeps its thread. Waiting for it would keep the agent from ending.
  if (!agent->audit.Close()) ending = ServiceEnding::kThreadsLeft;
  if (!search.Stop(kSearchGrace)) ending = ServiceEnding::kThreadsLeft;
  if (is_used) (void)agent.release();
  return ending;
}

// True when a GPU may still have a setting of a lease: its journal was damaged, or it is missing or left out because it
// hangs, and its journal names a setting.
bool IsInDoubt(const Agent& agent) {
  const std::string& state = agent.config.state;
  const auto journals = lease::JournalsIn(state);
  if (std::any_of(journals.begin(), journals.end(), lease::IsDamaged)) return true;
  const auto unread = agent.workers->Unread();
  return std::any_of(unread.begin(), unread.end(),
                     [&](const std::string& uuid) { return lease::NamesSetting(lease::JournalPath(state, uuid)); });
}

Result<ServiceEnding> Restore(const AgentOptions& options, const Environment& environment) {
  auto config = ReadPolicy(options);
  if (!config) {
    // Cards must be restored even when the policy cannot be read.
    Log(LogLevel::kError, "{}; restoring from the default folder", config.error().Line());
    config = Config{};
  }
  const auto folder = lease::Folder::Open(config->state);
  if (!folder) return Propagate(folder);
  auto agent = std::make_unique<Agent>(*std::move(config), lease::OpenPurpose::kRestore);
  agent->AddGpus(environment);
  if (agent->Close() == ServiceEnding::kInOrder && !IsInDoubt(*agent)) return ServiceEnding::kInOrder;
  (void)agent.release();
  return ServiceEnding::kNotRestored;
}

}  // namespace

Result<ServiceEnding> Run(const AgentOptions& options, const Environment& environment) {
  return options.task == AgentOptions::Task::kRestore ? Restore(options, environment) : Serve(options, environment);
}

Result<std::string> ExplainPolicy(const AgentOptions& options) {
  const auto config = ReadPolicy(options);
  if (!config) return Propagate(config);
  return Explain(*config);
}

}  // namespace heliostat::agent
