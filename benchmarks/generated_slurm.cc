#include "generated_slurm.h"

#include <fmt/format.h>
#include <time.h>

namespace heliostat::cluster {
namespace {

constexpr std::int64_t kBegin = 1'795'008'000;  // all lanes have begun by then
constexpr std::int64_t kKept = 300;             // how long an ended job stays in the queue

int GpusOf(int lane) { return lane % 3 == 0 ? 4 : 2; }
std::string NodeOf(int lane) { return fmt::format("gpu{:04}", 1 + lane / 3); }
// Of each job of a lane.
std::int64_t LengthOf(int lane) { return 3600 + 97 * (lane * 7919L % 186); }
// The first job of a lane begins up to one length before kBegin.
std::int64_t FirstStart(int lane) { return kBegin - lane * 104'729L % LengthOf(lane); }
std::int64_t StartOf(int lane, std::int64_t k) { return FirstStart(lane) + k * LengthOf(lane); }
// Of a job that waits: 10,000 are in the queue.
std::int64_t WaitingIn(int lane) { return lane % 3 == 0 ? 3 : 2; }

// A third of the jobs have slack, a third a deadline, and a third say nothing.
std::string CommentOf(int lane, std::int64_t k) {
  if (lane % 3 == 0) return "heliostat:slack=50%";
  if (lane % 3 == 1) return "";
  const Instant deadline{std::chrono::seconds(StartOf(lane, k + 3) + 3600)};
  return "heliostat:deadline=" + FormatInstant(deadline);
}

std::string RowOf(int lane, std::int64_t k, std::int64_t now, std::string_view separator) {
  const std::int64_t start = StartOf(lane, k);
  const std::int64_t end = start + LengthOf(lane);
  const bool waits = start > now;
  const std::int64_t number = 1 + lane + GeneratedSlurm::kLanes * k;
  const std::int64_t submit = StartOf(lane, k - WaitingIn(lane));
  const int gpus = GpusOf(lane);
  const std::string tres =
      fmt::format("cpu={0},mem=125G,node=1,billing=32,gres/gpu={1},gres/gpu:a100={1}", 8 * gpus, gpus);
  const std::string list[] = {fmt::format("{}", number),
                              fmt::format("{}", number),
                              "N/A",
                              fmt::format("user{}", lane % 300),
                              fmt::format("group{}", lane % 40),
                              "main",
                              waits       ? "PENDING"
                              : end > now ? "RUNNING"
                                          : "COMPLETED",
                              waits ? "Resources" : "None",
                              fmt::format("{}", submit),
                              fmt::format("{}", submit),
                              waits ? "N/A" : fmt::format("{}", start),
                              waits ? "N/A" : fmt::format("{}", end > now ? start + 43'200 : end),
                              "N/A",
                              "12:00:00",
                              "1",
                              fmt::format("{}", 8 * gpus),
                              "1",
                              waits ? "" : NodeOf(lane),
                              tres,
                              "N/A",
                              fmt::format("gres/gpu:a100:{}", gpus),
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
                              fmt::format("train_model_{}_seed_{}", lane % 70, k),
                              CommentOf(lane, k),
                              "(null)"};
  std::string row;
  for (const std::string& cell : list) row.append(cell).append(separator);
  return row + '\n';
}

}  // namespace

std::string GeneratedSlurm::Queue(std::string_view separator) const {
  const std::int64_t now = clock_.Now().time_since_epoch().count();
  std::string text;
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t running = (now - FirstStart(lane)) / LengthOf(lane);
    const bool shows_ended = running > 0 && now - StartOf(lane, running) < kKept;
    for (std::int64_t k = running - (shows_ended ? 1 : 0); k <= running + WaitingIn(lane); ++k) {
      text += RowOf(lane, k, now, separator);
    }
  }
  return text;
}

std::string GeneratedSlurm::Nodes() const {
  std::string text;
  for (int node = 0; node < kNodes; ++node) {
    text += fmt::format(
        "NodeName={0} Arch=x86_64 CoresPerSocket=32  CPUAlloc=64 CPUEfctv=128 CPUTot=128 CPULoad=31.61 "
        "AvailableFeatures=a100,rack{1} ActiveFeatures=a100,rack{1} Gres=gpu:a100:8(S:0-1) GresDrain=N/A "
        "GresUsed=gpu:a100:8(IDX:0-7) NodeAddr={0} NodeHostName={0} Version=22.05.8 OS=Linux 6.1.0 #1 SMP "
        "PREEMPT_DYNAMIC  RealMemory=512000 AllocMem=128000 FreeMem=300000 Sockets=2 Boards=1 State=ALLOCATED "
        "ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A Partitions=main,night  BootTime=1795017838 "
        "SlurmdStartTime=1795019123 LastBusyTime=1795019123 CfgTRES=cpu=128,mem=500G,billing=128,gres/gpu=8 "
        "AllocTRES=cpu=64,mem=375G,gres/gpu=8 CapWatts=n/a CurrentWatts=0 AveWatts=0\n",
        NodeOf(3 * node), node % 40);
  }
  return text;
}

Spent SpentSoFar() {
  timespec used{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return {std::chrono::steady_clock::now().time_since_epoch(),
          std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec)};
}

Result<std::string> GeneratedSlurm::Run(const std::vector<std::string>& command, std::chrono::milliseconds /*limit*/,
                                        std::size_t /*most_bytes*/) {
  const Spent begin = SpentSoFar();
  std::string text;
  if (command[0] == "squeue") {
    const std::size_t at = command.back().find('\x1f');
    text = Queue(command.back().substr(at, command.back().find(',', at) - at));
  } else if (command.back() == "config") {
    text = "ClusterName = made-up\nSLURM_VERSION = 22.05.8\nMinJobAge = 300 sec\n";
  } else {
    text = Nodes();
  }
  bytes_ += text.size();
  const Spent made = SpentSoFar() - begin;
  spent_ = {spent_.elapsed + made.elapsed, spent_.processor + made.processor};
  return text;
}

}  // namespace heliostat::cluster
