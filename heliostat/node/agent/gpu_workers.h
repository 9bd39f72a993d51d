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

// All GPUs of the machine, with one worker per GPU. The thread that serves requests uses it. No call waits for a
// driver, except Stop(). Not thread-safe.
class GpuWorkers {
 public:
  using Ticket = std::uint64_t;
  // Receives the outcome of a command. Called from Collect() or Sweep(), at most once.
  using Answer = std::function<void(Done)>;

  // Pointers must outlive the workers.
  struct Parts {
    const lease::Machine* machine = nullptr;
    Audit* audit = nullptr;
    SteadyNow now = SteadyClockNow;
    std::string state;  // the folder of journals
    std::chrono::milliseconds sample{1000};
    std::chrono::milliseconds hang{5000};
    // How to open the leases of a GPU; empty: to serve, as OpenOptions says.
    std::function<lease::OpenOptions(const device::Identity&)> leases = nullptr;
  };

  // Without GPUs, until Add().
  explicit GpuWorkers(Parts parts);
  GpuWorkers(std::vector<std::unique_ptr<device::Gpu>> gpus, Parts parts);
  GpuWorkers(const GpuWorkers&) = delete;
  GpuWorkers& operator=(const GpuWorkers&) = delete;
  ~GpuWorkers();

  // Begins to serve further GPUs, which come after the present ones.
  void Add(std::vector<std::unique_ptr<device::Gpu>> gpus);

  std::size_t size() const { return workers_.size(); }
  const Worker& worker(std::size_t gpu) const { return *workers_[gpu]; }
  // The number of the worker. kNotFound for a name that matches no GPU, or several.
  Result<std::size_t> Find(const GpuSelector& name) const;
  // A lease and the number of its worker.
  struct Held {
    std::size_t gpu = 0;
    lease::Lease lease;
  };
  std::optional<Held> FindLease(std::string_view id) const;
  // The number of leases of a user, including those that are being taken.
  int HeldBy(uid_t uid) const;
  // The processes that own leases; one may appear several times.
  std::vector<lease::Process> Owners() const;

  // For how long a call to the driver of this GPU has been hanging; absent up to Parts::hang.
  std::optional<Seconds> Stuck(std::size_t gpu) const;
  // True when every journal is read and its state restored, except on stuck GPUs.
  bool IsOpen() const;
  // The UUIDs of GPUs whose leases are not known, because their journals are not read yet, or the GPU is missing.
  std::vector<std::string> Unread() const;
  // What does not work, one line per trouble.
  std::vector<std::string> Troubles() const;

  // Queues `work`. On error nothing is done and `answer` is not called. Exception: on a stuck GPU, work that ends
  // leases returns an error, is queued, and is done as soon as the driver answers.
  Result<Ticket> Submit(std::size_t gpu, Work work, AuditRecord record, Answer answer);
  // The client has disconnected: `answer` is not called, and a granted lease without an owner process is released.
  void Forget(Ticket ticket);
  // Releases a lease whose grant could not be delivered to the client.
  void GiveUp(std::size_t gpu, const lease::Lease& lease);
  // Makes all workers check their leases now, because an owner died.
  void TickAll();

  // Readable when there are outcomes to collect.
  int event_fd() const;
  // Calls the answers of the commands that are done.
  void Collect();
  // Answers the commands that wait for a stuck GPU with an error. To be called about once per second.
  void Sweep();

  // Puts every card back within `grace` and ends the workers. Returns one line per GPU that could not be put back; its
  // journal lets the next start restore it.
  std::vector<std::string> Stop(std::chrono::milliseconds grace);

 private:
  struct Outbox;
  enum class Fate { kWanted, kAnswered, kForgotten };
  struct Pending {
    std::size_t gpu = 0;
    std::optional<lease::Owner> taker;  // of a take
    Answer answer;
    Fate fate = Fate::kWanted;
  };

  void Settle(Done done);
  void ReportStuck(std::size_t gpu);
  Error StuckError(std::size_t gpu, Seconds since, bool is_kept) const;
  void FindStrayJournals();

  Parts parts_;
  std::shared_ptr<Outbox> outbox_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<bool> was_stuck_;
  std::map<Ticket, Pending> pending_;
  Ticket next_ticket_ = 1;
  std::vector<std::string> strays_;        // what is told about journals of missing GPUs
  std::vector<std::string> missing_gpus_;  // their UUIDs
};

}  // namespace heliostat::agent
