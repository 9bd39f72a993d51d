#include "heliostat/node/agent/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "heliostat/base/core/log.h"
#include "heliostat/node/agent/audit.h"
#include "heliostat/node/agent/config.h"
#include "heliostat/node/agent/gpu_workers.h"
#include "heliostat/node/agent/listen.h"
#include "heliostat/node/agent/request_handler.h"
#include "heliostat/node/agent/server.h"
#include "heliostat/node/agent/systemd.h"
#include "heliostat/node/device/open_driver.h"
#include "heliostat/node/lease/folder.h"
#include "heliostat/node/lease/machine.h"

namespace heliostat::agent {
namespace {

// Enough for eight cards and a slow disk; systemd waits longer.
constexpr std::chrono::milliseconds kGrace = std::chrono::seconds(5);

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
  Agent(Config read, const Environment& environment)
      : config(std::move(read)),
        machine(lease::ThisMachine()),
        driver(device::OpenDriver(environment)),
        audit(config.audit, [this] { return machine->Now(); }),
        troubles(driver->troubles()) {
    for (const std::string& warning : config.warnings) LogLine(LogLevel::kWarning, warning);
  }

  std::vector<std::unique_ptr<device::Gpu>> Gpus() {
    auto gpus = driver->Gpus();
    if (gpus) return *std::move(gpus);
    troubles.push_back(gpus.error().Line());
    return {};
  }
  void OpenWorkers(lease::OpenPurpose purpose) {
    const auto options = [this, purpose](const device::Identity& gpu) {
      return lease::OpenOptions{purpose, BasesOf(config.base_clocks, gpu)};
    };
    workers = std::make_unique<GpuWorkers>(
        Gpus(),
        GpuWorkers::Parts{machine.get(), &audit, SteadyClockNow, config.state, config.sample, config.hang, options});
    for (const std::string& trouble : troubles) LogLine(LogLevel::kWarning, trouble);
  }
  // Puts the cards back.
  ServiceEnding Close() {
    const auto left = workers->Stop(kGrace);
    for (const std::string& trouble : left) LogLine(LogLevel::kError, trouble);
    return left.empty() ? ServiceEnding::kInOrder : ServiceEnding::kThreadsLeft;
  }

  Config config;
  std::unique_ptr<lease::Machine> machine;
  std::unique_ptr<device::GpuDriver> driver;
  Audit audit;
  std::vector<std::string> troubles;
  std::unique_ptr<GpuWorkers> workers;
};

Result<ServiceEnding> Serve(const AgentOptions& options, const Environment& environment) {
  auto config = ReadPolicy(options);
  if (!config) return Propagate(config);
  // Locked before any card is touched: two agents would restore each other's settings.
  const auto folder = lease::Folder::Open(config->state);
  if (!folder) return Propagate(folder);
  const auto listener = Listener::Open(config->socket, environment);
  if (!listener) return Propagate(listener);
  const Notifier notifier(environment);
  auto agent = std::make_unique<Agent>(*std::move(config), environment);
  agent->OpenWorkers(lease::OpenPurpose::kServe);
  const std::string driver = fmt::format("{} {}", agent->driver->name(), agent->driver->version());
  RequestHandler handler({agent->workers.get(), &agent->audit, agent->machine.get(), SteadyClockNow, ReadProcessFacts,
                          driver, agent->troubles},
                         agent->config);
  ServiceEnding ending = ServiceEnding::kInOrder;
  {
    Server server({&*listener, agent->workers.get(), &handler, &agent->audit, agent->machine.get(), &notifier,
                   options.signals, PeerOf, [&options] { return ReadPolicy(options); }, agent->config.max_connections,
                   SteadyClockNow, agent->config.idle});
    server.Run();
    // While connections are still open, so that waiting clients get answers.
    ending = agent->Close();
  }
  // Threads that hang in the driver still use the agent, so it is not destroyed.
  const bool is_used = ending == ServiceEnding::kThreadsLeft;
  // A log that blocks keeps its thread. Waiting for it would keep the agent from ending.
  if (!agent->audit.Close()) ending = ServiceEnding::kThreadsLeft;
  if (is_used) (void)agent.release();
  return ending;
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
  auto agent = std::make_unique<Agent>(*std::move(config), environment);
  agent->OpenWorkers(lease::OpenPurpose::kRestore);
  if (agent->Close() == ServiceEnding::kInOrder) return ServiceEnding::kInOrder;
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
