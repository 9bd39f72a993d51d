#include "heliostat/node/gpu_access/agent_control.h"

#include <thread>

#include "heliostat/base/core/log.h"

namespace heliostat::gpu_access {

static_assert(kThisProcess == agent::kOwnProcess);

namespace {

// A GPU that hangs since the agent started keeps its leases to itself.
void WarnIncomplete(const io::Json& answer) {
  const io::Json* const gpus = answer.Find("incomplete");
  if (gpus == nullptr || !gpus->is_array()) return;
  for (const io::Json& gpu : **gpus->Elements()) {
    Log(LogLevel::kWarning, "{}: its leases are not known, because its driver does not answer",
        Printable(gpu.Text().value_or("a GPU"), 100));
  }
}

}  // namespace

Result<io::Json> AgentControl::Ask(const agent::Request& request) {
  constexpr std::chrono::milliseconds kPause{50};
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  auto answer = client_.Ask(request);
  while (!answer && agent::IsStarting(answer.error()) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kPause);
    answer = client_.Ask(request);
  }
  return answer;
}

Result<lease::Grant> AgentControl::Take(device::Gpu& gpu, const SettingWish& wish) {
  const auto answer = Ask(agent::AskSet{gpu.identity().uuid, wish.setting, wish.ttl, wish.pid, wish.job});
  if (!answer) return Propagate(answer);
  return lease::ReadGrant(*answer);
}

Status AgentControl::Release(device::Gpu& /*gpu*/, const std::string& lease) {
  const auto answer = Ask(agent::AskRelease{lease});
  if (!answer) return Propagate(answer);
  return {};
}

Result<int> AgentControl::Reset(device::Gpu& gpu) {
  const auto answer = Ask(agent::AskReset{gpu.identity().uuid});
  if (!answer) return Propagate(answer);
  const auto released = answer->Get("released");
  if (!released) return Propagate(released);
  const auto ids = (*released)->Elements();
  if (!ids) return Propagate(ids);
  return static_cast<int>((*ids)->size());
}

Result<std::vector<lease::LeaseSummary>> AgentControl::Leases(bool all) {
  const auto answer = Ask(agent::AskLeases{all, std::nullopt, ""});
  if (!answer) return Propagate(answer);
  const auto leases = answer->Get("leases");
  if (!leases) return Propagate(leases);
  WarnIncomplete(*answer);
  return lease::ReadSummaries(**leases);
}

}  // namespace heliostat::gpu_access
