#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "heliostat/base/core/random.h"
#include "heliostat/control/sim/simulation.h"

namespace heliostat::sim {

// Draws which node or GPU fails, and when. Each kind of fault of each node has its own random stream. So with one seed
// all policies meet the same faults, independent of how they use the nodes. Not thread-safe.
class FaultSource {
 public:
  // `faults` must outlive it.
  FaultSource(std::uint64_t seed, const Faults& faults);

  // Time from one failure of the node to the next; draws a new value in each call. Nothing means never.
  std::optional<Duration> UntilNodeFails(std::size_t group, int node);
  // The same for the failures of its `gpus` GPUs together.
  std::optional<Duration> UntilGpuFails(std::size_t group, int node, int gpus);
  // Which of the node's `gpus` fails, 0 to `gpus` - 1. Call once per failure, also when the node is not up, so that
  // streams stay equal.
  int GpuThatFails(std::size_t group, int node, int gpus);
  // Whether this wake-up of the node fails. Call once per wake-up.
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
