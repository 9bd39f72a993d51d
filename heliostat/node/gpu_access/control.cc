#include "heliostat/node/gpu_access/control.h"

#include <unistd.h>

#include "heliostat/base/core/home_path.h"
#include "heliostat/node/agent/client.h"
#include "heliostat/node/gpu_access/agent_control.h"
#include "heliostat/node/gpu_access/direct_control.h"
#include "heliostat/node/lease/folder.h"

namespace heliostat::gpu_access {
namespace {

constexpr std::string_view kAgentsFolder = "/var/lib/heliostat";

}  // namespace

Result<std::string> StateFolder(const Environment& environment) {
  const auto named = environment("HELIOSTAT_STATE");
  if (::geteuid() == 0 && (!named || named->empty())) return std::string(kAgentsFolder);
  return HomePath({"folder of leases", "HELIOSTAT_STATE", HomeFolder::kState, ""}, environment);
}

std::optional<std::vector<lease::LeaseSummary>> AgentLeases(const Environment& environment) {
  auto client = agent::Client::Connect(agent::SocketPath(environment));
  if (!client) return std::nullopt;
  auto leases = AgentControl(std::move(*client)).Leases(true);
  if (!leases) return std::nullopt;
  return *std::move(leases);
}

Result<std::unique_ptr<Control>> OpenControl(const Environment& environment, const Gpus& gpus) {
  auto client = agent::Client::Connect(agent::SocketPath(environment));
  if (client) return std::make_unique<AgentControl>(std::move(*client));
  if (client.error().code != ErrorCode::kNotFound) return Propagate(client);
  const auto path = StateFolder(environment);
  if (!path) return Propagate(path);
  if (const auto folder = lease::Folder::Open(*path, kPatience); !folder) return Propagate(folder);
  return std::make_unique<DirectControl>(*path, gpus, lease::ThisMachine());
}

}  // namespace heliostat::gpu_access
