#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "heliostat/base/core/random.h"
#include "heliostat/control/sim/simulation.h"

namespace heliostat::sim {

// Decides what breaks and when. Every kind of fault of every node draws from a stream of its own, so that under one
// seed all policies meet the same faults, whatever they do with the nodes.
class FaultSource {
 public:
  FaultSource(std::uint64_t seed, const Faults& faults);

  // Time from now until the node's next failure, counted from the last call; nothing: never.
  std::optional<Duration> UntilNodeFails(std::size_t group, int node);
  // The same for one of its GPUs, of which it has `gpus`.
  std::optional<Duration> UntilGpuFails(std::size_t group, int node, int gpus);
  // Which of the node's `gpus` breaks: asked once per failure, whether the node is up or not.
  int GpuThatFails(std::size_t group, int node, int gpus);
  // Whether the node's next wake-up fails.
  bool WakeUpFails(std::size_t group, int node);

 private:
  enum class Kind { kNode, kGpu, kWhichGpu, kWakeUp };
  RandomStream& StreamOf(Kind kind, std::size_t group, int node);
  std::optional<Duration> After(RandomStream& stream, Seconds mean) const;

  RandomStream root_;
  const Faults& faults_;
  std::map<std::tuple<Kind, std::size_t, int>, RandomStream> streams_;
};

}  // namespace heliostat::sim
