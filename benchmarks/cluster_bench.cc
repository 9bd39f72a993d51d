// A look at a Slurm cluster of 1,000 nodes and 10,000 jobs: time and memory. The answers are generated, in the shape of
// those of release 22.05. With SLURM_CONF, also a real Slurm with 10,000 waiting jobs, beside a bare squeue.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "heliostat/base/core/check.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/base/io/file.h"
#include "heliostat/control/cluster/slurm_cluster.h"

namespace heliostat::cluster {
namespace {

constexpr int kNodes = 1000;
constexpr int kJobs = 10'000;
constexpr int kRounds = 9;

// A third of the jobs run, on one to four nodes; the others wait.
std::string Queue(std::string_view separator) {
  std::string text;
  for (int i = 1; i <= kJobs; ++i) {
    const bool runs = i % 3 == 0;
    const int nodes = 1 + i % 4;
    const int first = 1 + i % (kNodes - 4);
    const std::string list =
        nodes == 1 ? fmt::format("gpu{:04}", first) : fmt::format("gpu[{:04}-{:04}]", first, first + nodes - 1);
    const std::vector<std::string> cells{fmt::format("{}", i),
                                         fmt::format("{}", i),
                                         "N/A",
                                         fmt::format("user{}", i % 300),
                                         fmt::format("group{}", i % 40),
                                         "main",
                                         runs ? "RUNNING" : "PENDING",
                                         runs ? "None" : "Resources",
                                         "1795020002",
                                         "1795020002",
                                         runs ? "1795020004" : "N/A",
                                         runs ? "1795050004" : "N/A",
                                         "N/A",
                                         "1-12:00:00",
                                         fmt::format("{}", nodes),
                                         fmt::format("{}", 16 * nodes),
                                         fmt::format("{}", nodes),
                                         runs ? list : "",
                                         fmt::format("cpu={},mem=125G,node={},billing=32,gres/gpu={},gres/gpu:a100={}",
                                                     16 * nodes, nodes, 4 * nodes, 4 * nodes),
                                         "N/A",
                                         "gres/gpu:a100:4",
                                         "N/A",
                                         "N/A",
                                         "OK",
                                         "1",
                                         "1",
                                         "0",
                                         "(null)",
                                         "(null)",
                                         "4294901740",
                                         "0",
                                         fmt::format("train_model_{}_seed_{}", i % 70, i),
                                         "heliostat:deadline=2026-11-19T08:00:00Z;slack=50%",
                                         "(null)"};
    for (const std::string& cell : cells) text.append(cell).append(separator);
    text += '\n';
  }
  return text;
}

std::string Nodes() {
  std::string text;
  for (int i = 1; i <= kNodes; ++i) {
    text += fmt::format(
        "NodeName=gpu{:04} Arch=x86_64 CoresPerSocket=32  CPUAlloc=32 CPUEfctv=128 CPUTot=128 CPULoad=31.61 "
        "AvailableFeatures=a100,rack{} ActiveFeatures=a100,rack{} Gres=gpu:a100:4(S:0-1) GresDrain=N/A "
        "GresUsed=gpu:a100:2(IDX:0-1) NodeAddr=gpu{:04} NodeHostName=gpu{:04} Version=22.05.8 OS=Linux 6.1.0 #1 SMP "
        "PREEMPT_DYNAMIC  RealMemory=512000 AllocMem=128000 FreeMem=300000 Sockets=2 Boards=1 State=MIXED "
        "ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A Partitions=main,night  BootTime=1795017838 "
        "SlurmdStartTime=1795019123 LastBusyTime=1795019123 CfgTRES=cpu=128,mem=500G,billing=128,gres/gpu=4 "
        "AllocTRES=cpu=32,mem=125G,gres/gpu=2 CapWatts=n/a CurrentWatts=0 AveWatts=0\n",
        i, i % 40, i % 40, i, i);
  }
  return text;
}

class GeneratedSlurm final : public CommandRunner {
 public:
  // The time of making an answer is not that of Look().
  std::chrono::nanoseconds spent{};

  Result<std::string> Run(const std::vector<std::string>& command, std::chrono::milliseconds, std::size_t) override {
    const auto begin = std::chrono::steady_clock::now();
    std::string text;
    if (command[0] == "squeue") {
      const std::size_t at = command.back().find('\x1f');
      text = Queue(command.back().substr(at, command.back().find(',', at) - at));
    } else {
      text = Nodes();
    }
    bytes_ += text.size();
    spent += std::chrono::steady_clock::now() - begin;
    return text;
  }
  std::size_t TakeBytes() { return std::exchange(bytes_, 0); }

 private:
  std::size_t bytes_ = 0;
};

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
  GeneratedSlurm slurm;
  const SystemClock clock;
  SlurmCluster cluster(slurm, clock, RandomStream(1));
  const double before = PeakMegabytes();
  std::size_t bytes = 0;
  const double median = MedianMilliseconds([&] {
    slurm.spent = {};
    const auto begin = std::chrono::steady_clock::now();
    const auto snapshot = cluster.Look();
    const auto end = std::chrono::steady_clock::now();
    Check(snapshot && snapshot->jobs.size() == kJobs && snapshot->nodes.size() == kNodes, "the answer is not read");
    bytes = slurm.TakeBytes();
    return Milliseconds(end - begin - slurm.spent);
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
