#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/node/agent/audit.h"
#include "heliostat/node/agent/protocol.h"
#include "heliostat/node/agent/worker.h"
#include "heliostat/node/device/gpu.h"

namespace heliostat::agent {

// All GPUs of the machine, each with its worker, as the one thread that serves requests sees them. No call waits for a
// driver, Stop() excepted. Not thread-safe.
class GpuWorkers {
 public:
  using Ticket = std::uint64_t;
  // What came of a command. Called from Collect() or Sweep(), once at most.
  using Answer = std::function<void(Done)>;

  // All of it outlives the fleet.
  struct Parts {
    const lease::Machine* machine = nullptr;
    Audit* audit = nullptr;
    SteadyNow now = SteadyClockNow;
    std::string state;  // the folder of journals
    std::chrono::milliseconds sample{1000};
    std::chrono::milliseconds hang{5000};
  };

  GpuWorkers(std::vector<std::unique_ptr<device::Gpu>> gpus, Parts parts);
  GpuWorkers(const GpuWorkers&) = delete;
  GpuWorkers& operator=(const GpuWorkers&) = delete;
  ~GpuWorkers();

  std::size_t size() const { return workers_.size(); }
  const Worker& worker(std::size_t gpu) const { return *workers_[gpu]; }
  Result<std::size_t> Find(const GpuSelector& name) const;
  // A lease that is held, and on which GPU.
  struct Held {
    std::size_t gpu = 0;
    lease::Lease lease;
  };
  std::optional<Held> FindLease(std::string_view id) const;
  // Leases of a user, those included that are being taken.
  int HeldBy(uid_t uid) const;
  std::vector<lease::Process> Owners() const;

  // For how long a GPU does not answer; nothing while it does.
  std::optional<Seconds> Stuck(std::size_t gpu) const;
  // Every journal is read and made good, but for GPUs that are stuck.
  bool IsOpen() const;
  // What does not work, one line each.
  std::vector<std::string> Troubles() const;

  // An error says that nothing is done, except for what ends leases: that is done as soon as the GPU answers.
  Result<Ticket> Submit(std::size_t gpu, Work work, AuditRecord record, Answer answer);
  // Whoever asked has gone away: nobody is answered, and a lease that no process owns is given up again.
  void Forget(Ticket ticket);
  // The same for a lease whose answer could not be delivered.
  void GiveUp(std::size_t gpu, const lease::Lease& lease);
  // An owner died: leases are looked at now.
  void TickAll();

  // Readable when there is something to collect.
  int event_fd() const;
  void Collect();
  // Tells those who wait for a GPU that is stuck. Once a second or so.
  void Sweep();

  // Puts every card back, for `grace` at most, and ends the workers. Says which GPUs were left as they are; their
  // journals make the next start restore them.
  std::vector<std::string> Stop(std::chrono::milliseconds grace);

 private:
  struct Outbox;
  enum class Fate { kWanted, kTold, kForgotten };
  struct Pending {
    std::size_t gpu = 0;
    std::optional<lease::Owner> taker;  // of a take
    Answer answer;
    Fate fate = Fate::kWanted;
  };

  void Settle(Done done);
  void Tell(std::size_t gpu);
  Error StuckError(std::size_t gpu, Seconds since, bool is_kept) const;
  void FindStrayJournals();

  Parts parts_;
  std::shared_ptr<Outbox> outbox_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<bool> was_stuck_;
  std::map<Ticket, Pending> pending_;
  Ticket next_ticket_ = 1;
  std::vector<std::string> strays_;
};

}  // namespace heliostat::agent
