#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "heliostat/node/agent/audit.h"
#include "heliostat/node/device/energy_meter.h"
#include "heliostat/node/device/gpu.h"
#include "heliostat/node/lease/gpu_leases.h"

namespace heliostat::agent {

// Monotone, from any origin.
using SteadyTime = std::chrono::nanoseconds;
using SteadyNow = std::function<SteadyTime()>;
SteadyTime SteadyClockNow();

// What a worker can be asked to do with its GPU.
struct Take {
  lease::LeaseRequest request;
};
struct Renew {
  std::string lease;
  std::chrono::seconds ttl{0};
};
struct Release {
  std::string lease;
};
struct ReleaseAll {
  std::optional<uid_t> uid;  // nothing: everybody's
};
struct PutBack {};
using Work = std::variant<Take, Renew, Release, ReleaseAll, PutBack>;

struct WorkerCommand {
  std::uint64_t ticket = 0;
  Work work;
  AuditRecord record;  // its outcome is filled in here
};

// What came of a command.
struct Done {
  std::uint64_t ticket = 0;
  Status status;
  std::optional<lease::GpuLeases::Grant> grant;  // Take
  std::optional<lease::Lease> renewed;           // Renew
  std::vector<std::string> released;             // Release, ReleaseAll
};

// One GPU as it was at a moment. Texts are JSON, made once for all who ask.
struct GpuSnapshot {
  struct HeldLease {
    lease::Lease lease;
    std::string text;
  };
  SteadyTime taken{0};
  bool is_open = false;   // the journal is read, and what it told is made good
  std::string list_text;  // an object of {"do":"list"} without its closing brace
  std::string show_text;  // likewise of {"do":"show"}
  std::vector<HeldLease> leases;
  std::vector<std::string> troubles;  // what does not work, one line each
};

// What workers have in common. All of it outlives them and is thread-safe.
struct WorkerContext {
  const lease::Machine* machine = nullptr;
  Audit* audit = nullptr;
  SteadyNow now;
  std::chrono::milliseconds sample{1000};
  std::function<void(Done)> post;  // called by the worker's thread
};

// A thread that owns one GPU and its leases: nobody else calls that GPU's driver, so that a call which does not return
// holds up this GPU and nothing else. Other members are for any thread and never wait for the driver.
class Worker {
 public:
  static constexpr std::size_t kMostQueued = 64;

  Worker(std::unique_ptr<device::Gpu> gpu, std::string journal, WorkerContext context);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  // Waits for the thread, unless it was abandoned.
  ~Worker();

  const device::Identity& identity() const { return identity_; }
  std::shared_ptr<const GpuSnapshot> snapshot() const;
  // Since when the thread is at what it is doing; nothing while it waits for work.
  std::optional<SteadyTime> busy_since() const;

  // False when too many wait already.
  bool Submit(WorkerCommand command);
  // Takes back what was not begun and would give somebody something; what ends leases stays.
  std::vector<std::uint64_t> TakeBackQueued();
  // A sample before its time: an owner died.
  void WantTick();
  // The thread ends when it has done what is queued. Does not wait for it.
  void Finish();
  // The thread is left to itself: it hangs in the driver, and the process is about to end.
  void Abandon();

 private:
  struct Shared;
  device::Identity identity_;
  std::shared_ptr<Shared> shared_;  // the thread's too, so that an abandoned one has what it needs
  std::thread thread_;
};

}  // namespace heliostat::agent
