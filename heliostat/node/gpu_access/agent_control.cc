#include "heliostat/node/gpu_access/agent_control.h"

#include <thread>

#include "heliostat/base/core/log.h"

namespace heliostat::gpu_access {

static_assert(kThisProcess == agent::kOwnProcess);

namespace {

// The journal of a GPU that hangs since the agent started, or is missing, is not read.
void WarnIncomplete(const io::Json& answer) {
  const io::Json* const gpus = answer.Find("incomplete");
  if (gpus == nullptr || !gpus->is_array()) return;
  for (const io::Json& gpu : **gpus->Elements()) {
    Log(LogLevel::kWarning, "{}: its leases are not known, because it is missing or its driver does not answer",
        Printable(gpu.Text().value_or("a GPU"), 100));
  }
}

Result<std::vector<lease::LeaseSummary>> ReadLeases(const io::Json& answer) {
  const auto leases = answer.Get("leases");
  if (!leases) return Propagate(leases);
  return lease::ReadSummaries(**leases);
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
  // The names are cut short where there are very many.
  if (const io::Json* const count = answer->Find("released_count")) {
    const auto number = count->Integer();
    if (!number) return Propagate(number);
    return static_cast<int>(*number);
  }
  const auto ids = (*released)->Elements();
  if (!ids) return Propagate(ids);
  return static_cast<int>((*ids)->size());
}

Result<std::vector<lease::LeaseSummary>> AgentControl::Leases(bool all) {
  const auto whole = Ask(agent::AskLeases{all, std::nullopt, ""});
  if (whole) {
    WarnIncomplete(*whole);
    return ReadLeases(*whole);
  }
  if (!agent::IsTooLong(whole.error())) return Propagate(whole);
  std::vector<lease::LeaseSummary> leases;
  for (agent::AskLeases page{all, agent::kMostLeasesPerPage, ""}; true;) {
    const auto answer = Ask(page);
    if (!answer) return Propagate(answer);
    const auto more = ReadLeases(*answer);
    if (!more) return Propagate(more);
    leases.insert(leases.end(), more->begin(), more->end());
    const io::Json* const next = answer->Find("next");
    // An empty page cannot be followed by another.
    if (next == nullptr || more->empty()) {
      WarnIncomplete(*answer);
      return leases;
    }
    const auto after = next->Text();
    if (!after) return Propagate(after);
    page.after = *after;
  }
}

}  // namespace heliostat::gpu_access
