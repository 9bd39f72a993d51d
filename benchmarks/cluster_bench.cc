// A look at a Slurm cluster of 1,000 nodes and 10,000 jobs: time and memory. The answers are generated, in the shape of
// those of release 22.05. With SLURM_CONF, also a real Slurm with 10,000 waiting jobs, beside a bare squeue.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "generated_slurm.h"
#include "heliostat/base/core/check.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/base/io/file.h"
#include "heliostat/control/cluster/slurm_cluster.h"

namespace heliostat::cluster {
namespace {

constexpr int kJobs = GeneratedSlurm::kJobs;
constexpr int kRounds = 9;
constexpr Instant kNow{std::chrono::seconds{1'795'050'000}};

// Of this program alone; rusage would begin with the peak of its parent.
double PeakMegabytes() {
  const auto status = io::ReadFile("/proc/self/status");
  Check(status.has_value(), "the status of the process cannot be read");
  const std::size_t at = status->find("VmHWM:");
  Check(at != std::string::npos, "the status has no peak");
  return std::strtod(status->c_str() + at + 6, nullptr) / 1024.0;
}

double Milliseconds(std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1e6; }

template <typename Work>
double MedianMilliseconds(Work work) {
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) times.push_back(work());
  std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
  return times[kRounds / 2];
}

void MeasureGenerated() {
  const ManualClock clock(kNow);
  GeneratedSlurm slurm(clock);
  SlurmCluster cluster(slurm, clock, RandomStream(1));
  const double before = PeakMegabytes();
  std::size_t bytes = 0;
  const double median = MedianMilliseconds([&] {
    slurm.TakeTime();
    const auto begin = std::chrono::steady_clock::now();
    const auto snapshot = cluster.Look();
    const auto end = std::chrono::steady_clock::now();
    Check(snapshot && snapshot->jobs.size() >= kJobs && snapshot->nodes.size() == GeneratedSlurm::kNodes,
          "the answer is not read");
    bytes = slurm.TakeBytes();
    return Milliseconds(end - begin - slurm.TakeTime().elapsed);
  });
  fmt::print("{:<54}{:>9.0f} ms{:>9.0f} MB more at most, {:.1f} MB of text\n",
             "parse a Look(), 1,000 nodes and 10,000 jobs", median, PeakMegabytes() - before,
             static_cast<double>(bytes) / 1e6);
}

// A command that may take its time.
void RunCommand(ProcessRunner& commands, const std::vector<std::string>& command) {
  const auto answer = commands.Run(command, std::chrono::minutes(2), std::size_t{256} << 20);
  Check(answer.has_value(), "a command of Slurm fails");
}

void MeasureReal() {
  ProcessRunner commands(ProcessVariables());
  const SystemClock clock;
  SlurmCluster cluster(commands, clock, RandomStream(1));
  RunCommand(commands,
             {"sbatch", "-H", "-t", "60", "-a", fmt::format("1-{}", kJobs), "-o", "/dev/null", "--wrap", "true"});
  const auto timed = [](auto work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return Milliseconds(std::chrono::steady_clock::now() - begin);
  };
  const double bare = MedianMilliseconds([&] { return timed([&] { RunCommand(commands, {"squeue", "-r"}); }); });
  const double look = MedianMilliseconds([&] {
    return timed([&] {
      const auto snapshot = cluster.Look();
      Check(snapshot && snapshot->jobs.size() == kJobs, "the queue is not read");
    });
  });
  fmt::print("{:<54}{:>9.0f} ms\n", "a bare `squeue -r` of a real Slurm with 10,000 jobs", bare);
  fmt::print("{:<54}{:>9.0f} ms{:>8.1f} times a bare squeue\n", "a whole Look() at the same", look, look / bare);
}

}  // namespace
}  // namespace heliostat::cluster

int main() {
  heliostat::cluster::MeasureGenerated();
  if (heliostat::ProcessEnvironment()("SLURM_CONF")) heliostat::cluster::MeasureReal();
}
