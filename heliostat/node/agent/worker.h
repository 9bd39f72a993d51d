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

// A monotone clock, from any origin.
using SteadyTime = std::chrono::nanoseconds;
using SteadyNow = std::function<SteadyTime()>;
SteadyTime SteadyClockNow();

// The work that a Worker can do on its GPU.
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
  std::optional<uid_t> uid;  // absent: of all users
};
struct PutBack {};  // GpuLeases::PutBack()
using Work = std::variant<Take, Renew, Release, ReleaseAll, PutBack>;

struct WorkerCommand {
  std::uint64_t ticket = 0;
  Work work;
  AuditRecord record;  // the worker fills in its outcome
};

// The outcome of a command.
struct Done {
  std::uint64_t ticket = 0;
  Status status;
  std::optional<lease::GpuLeases::Grant> grant;  // Take
  std::optional<lease::Lease> renewed;           // Renew
  std::vector<std::string> released;             // Release, ReleaseAll
};

// One GPU at a moment. Texts are JSON, made once for all requests.
struct GpuSnapshot {
  struct HeldLease {
    lease::Lease lease;
    std::string text;
  };
  SteadyTime taken{0};
  bool is_open = false;   // the journal is read and its state restored
  std::string list_text;  // an object of {"do":"list"} without its closing brace
  std::string show_text;  // likewise of {"do":"show"}
  std::vector<HeldLease> leases;
  std::vector<std::string> troubles;  // what does not work, one line per trouble
};

// What all workers share. Pointers must outlive the workers; everything in it is thread-safe.
struct WorkerContext {
  const lease::Machine* machine = nullptr;
  Audit* audit = nullptr;
  SteadyNow now;
  std::chrono::milliseconds sample{1000};
  std::function<void(Done)> post;  // called by the worker's thread
  lease::OpenOptions leases;       // how to open the leases of this GPU
};

// A thread that owns one GPU and its leases. No other thread calls the driver for that GPU, so that a call that hangs
// blocks this GPU alone. Thread-safe; no member waits for the driver, except the destructor.
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
  // When the thread began its present work; absent while it waits for work.
  std::optional<SteadyTime> busy_since() const;

  // Queues a command. False when kMostQueued wait already; PutBack is always accepted.
  bool Submit(WorkerCommand command);
  // Removes Take and Renew commands that have not begun from the queue. Returns their tickets.
  std::vector<std::uint64_t> TakeBackQueued();
  // Takes the next sample now, because an owner died.
  void RequestTick();
  // Makes the thread end after the queued commands. Does not wait for it.
  void Finish();
  // Detaches the thread: it hangs in the driver, and the process is about to end.
  void Abandon();

 private:
  struct Shared;
  device::Identity identity_;
  std::shared_ptr<Shared> shared_;  // shared with the thread, which may outlive the worker
  std::thread thread_;
};

}  // namespace heliostat::agent
