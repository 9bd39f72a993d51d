#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/control/cluster/command_runner.h"

namespace heliostat::cluster {

// Elapsed time, and the processor time of this thread in it: on a machine that others use, only the second says what
// the work costs.
struct Spent {
  std::chrono::nanoseconds elapsed{};
  std::chrono::nanoseconds processor{};
  friend Spent operator-(const Spent& a, const Spent& b) { return {a.elapsed - b.elapsed, a.processor - b.processor}; }
};
Spent SpentSoFar();

// A Slurm of 1,000 nodes with 8 GPUs each that always has 10,000 jobs which wait or run. Everything is made up by
// arithmetic: each node has three lanes (4, 2 and 2 GPUs) in which jobs of one to six hours follow each other; three
// jobs or four of each lane are in the queue. The answers have the shape of those of release 22.05.
class GeneratedSlurm final : public CommandRunner {
 public:
  static constexpr int kNodes = 1000;
  static constexpr int kLanes = 3 * kNodes;
  static constexpr int kJobs = 10'000;

  explicit GeneratedSlurm(const Clock& clock) : clock_(clock) {}

  Result<std::string> Run(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                          std::size_t most_bytes) override;
  // The time and the bytes of all answers since the last call. The time of making an answer is not that of its reader.
  Spent TakeTime() { return std::exchange(spent_, {}); }
  std::size_t TakeBytes() { return std::exchange(bytes_, 0); }

 private:
  std::string Queue(std::string_view separator) const;
  std::string Nodes() const;

  const Clock& clock_;
  Spent spent_;
  std::size_t bytes_ = 0;
};

}  // namespace heliostat::cluster
