#include "heliostat/control/cluster/slurm_call.h"

#include <fmt/format.h>

namespace heliostat::cluster {

std::string DrawSeparator(RandomStream& random) { return fmt::format("\x1f{:06x}", random.Below(1 << 24)); }

Status SlurmCall::Probe() {
  const auto answer = commands_.Run({"scontrol", "ping"}, limits_.ping, limits_.look_bytes);
  if (!answer) return Propagate(answer);
  // One line for each controller. One that is up is enough.
  if (answer->find(" is UP") == std::string::npos)
    return Fail(ErrorCode::kUnavailable, "scontrol ping", Printable(*answer));
  return {};
}

Result<std::string> SlurmCall::Ask(const std::vector<std::string>& command) {
  if (breaker_.is_open()) {
    if (breaker_.MustWait()) return Fail(ErrorCode::kUnavailable, "slurm", breaker_.Line());
    if (const auto alive = Probe(); !alive) {
      breaker_.Fail(alive.error().Line());
      return Fail(ErrorCode::kUnavailable, "slurm", breaker_.Line());
    }
  }
  auto answer = commands_.Run(command, limits_.look, limits_.look_bytes);
  if (answer) {
    breaker_.Succeed();
    return answer;
  }
  // A program that is not installed, or an answer too long, says nothing about the controller.
  if (answer.error().code != ErrorCode::kUnavailable) return answer;
  breaker_.Fail(answer.error().Line());
  if (breaker_.is_open()) return Fail(ErrorCode::kUnavailable, "slurm", breaker_.Line());
  return answer;
}

}  // namespace heliostat::cluster
