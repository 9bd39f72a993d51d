#include "heliostat/node/gpu_access/agent_control.h"

namespace heliostat::gpu_access {

static_assert(kThisProcess == agent::kOwnProcess);

Result<lease::Grant> AgentControl::Take(device::Gpu& gpu, const SettingWish& wish) {
  const auto answer = client_.Ask(agent::AskSet{gpu.identity().uuid, wish.setting, wish.ttl, wish.pid, wish.job});
  if (!answer) return Propagate(answer);
  return lease::ReadGrant(*answer);
}

Status AgentControl::Release(device::Gpu& /*gpu*/, const std::string& lease) {
  const auto answer = client_.Ask(agent::AskRelease{lease});
  if (!answer) return Propagate(answer);
  return {};
}

Result<int> AgentControl::Reset(device::Gpu& gpu) {
  const auto answer = client_.Ask(agent::AskReset{gpu.identity().uuid});
  if (!answer) return Propagate(answer);
  const auto released = answer->Get("released");
  if (!released) return Propagate(released);
  const auto ids = (*released)->Elements();
  if (!ids) return Propagate(ids);
  return static_cast<int>((*ids)->size());
}

Result<std::vector<lease::LeaseSummary>> AgentControl::Leases(bool all) {
  const auto answer = client_.Ask(agent::AskLeases{all});
  if (!answer) return Propagate(answer);
  const auto leases = answer->Get("leases");
  if (!leases) return Propagate(leases);
  return lease::ReadSummaries(**leases);
}

}  // namespace heliostat::gpu_access
