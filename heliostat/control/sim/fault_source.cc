#include "heliostat/control/sim/fault_source.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace heliostat::sim {
namespace {

// Longer than any horizon.
constexpr double kNeverS = 1e10;
constexpr std::array<std::string_view, 4> kNames{"node fails", "gpu fails", "which gpu", "wake-up fails"};

}  // namespace

FaultSource::FaultSource(std::uint64_t seed, const Faults& faults)
    : root_(RandomStream(seed).Split("faults")), faults_(faults) {}

RandomStream& FaultSource::StreamOf(Kind kind, std::size_t group, int node) {
  const auto key = std::tuple(kind, group, node);
  const auto found = streams_.find(key);
  if (found != streams_.end()) return found->second;
  const RandomStream stream =
      root_.Split(kNames[static_cast<std::size_t>(kind)]).Split(group).Split(static_cast<std::uint64_t>(node));
  return streams_.emplace(key, stream).first->second;
}

std::optional<Duration> FaultSource::After(RandomStream& stream, Seconds mean) const {
  if (mean.count() <= 0.0) return std::nullopt;
  const double wait = stream.Exponential(mean.count());
  if (wait > kNeverS) return std::nullopt;
  return Duration{static_cast<std::int64_t>(wait) + 1};
}

std::optional<Duration> FaultSource::UntilNodeFails(std::size_t group, int node) {
  return After(StreamOf(Kind::kNode, group, node), Seconds(faults_.node_mtbf));
}

std::optional<Duration> FaultSource::UntilGpuFails(std::size_t group, int node, int gpus) {
  return After(StreamOf(Kind::kGpu, group, node), Seconds(faults_.gpu_mtbf) / std::max(1, gpus));
}

int FaultSource::GpuThatFails(std::size_t group, int node, int gpus) {
  const double share = StreamOf(Kind::kWhichGpu, group, node).Uniform();
  return std::min(gpus - 1, static_cast<int>(share * gpus));
}

bool FaultSource::WakeUpFails(std::size_t group, int node) {
  return StreamOf(Kind::kWakeUp, group, node).Chance(faults_.wake_failure);
}

}  // namespace heliostat::sim
