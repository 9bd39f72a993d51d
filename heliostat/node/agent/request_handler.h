#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/token_bucket.h"
#include "heliostat/node/agent/audit.h"
#include "heliostat/node/agent/config.h"
#include "heliostat/node/agent/gpu_workers.h"
#include "heliostat/node/agent/owner_process.h"
#include "heliostat/node/agent/protocol.h"
#include "heliostat/node/lease/machine.h"
#include "heliostat/node/local_socket/peer.h"

namespace heliostat::agent {

// Answers requests: reads at once, from what the workers published last; writes when a worker has done them. Checks
// rates and rights, and writes the audit log. Independent of sockets. Not thread-safe.
class RequestHandler {
 public:
  // Delivers one answer, without the end of line. Returns false when the client is gone.
  using Reply = std::function<bool(std::string answer)>;

  // Pointers must outlive the handler.
  struct Parts {
    GpuWorkers* workers = nullptr;
    Audit* audit = nullptr;
    const lease::Machine* machine = nullptr;
    SteadyNow now = SteadyClockNow;
    FactsOf facts_of = ReadProcessFacts;
    std::string driver;  // "NVML 580.159"
    std::vector<std::string> troubles;
    std::size_t most_answer_bytes = kMostAnswerBytes;
  };

  // How a line was handled.
  struct Handled {
    enum class Kind { kRead, kWrite, kRefused, kLimited };
    Kind kind = Kind::kRead;
    // The work that the answer waits for. When the connection ends first, pass each to GpuWorkers::Forget().
    std::vector<GpuWorkers::Ticket> tickets;
  };

  RequestHandler(Parts parts, const Config& config);

  // Handles one line. `reply` is called once, now or later, unless its tickets are forgotten.
  Handled Handle(const local_socket::Peer& peer, std::string_view line, const Reply& reply);
  // Audits a refused connection.
  void NoteRefusal(const local_socket::Peer& peer, const Error& error);
  // Applies the rights and rates of `config` from the next request on.
  void Adopt(const Config& config);
  // Frees the rate counters of users without recent requests.
  void Prune();
  // What the search for GPUs found out about the driver.
  void set_driver(std::string driver, std::vector<std::string> troubles) {
    parts_.driver = std::move(driver);
    parts_.troubles = std::move(troubles);
  }
  // "starting", "serving" or "stopping". While starting, requests that need leases get StartingError().
  void set_state(std::string_view state) { state_ = state; }

 private:
  struct Buckets {
    TokenBucket writes;
    TokenBucket reads;
  };

  Buckets& BucketsOf(uid_t uid);
  Handled Refuse(const local_socket::Peer& peer, const io::Json& request, const Error& error, const Reply& reply);
  Handled Limit(const local_socket::Peer& peer, const RateLimit& rate, const Reply& reply);
  std::string Read(const local_socket::Peer& peer, const Request& request) const;
  std::string AgentStatus() const;
  std::string List() const;
  std::string Show(const AskShow& ask) const;
  std::string Leases(const local_socket::Peer& peer, const AskLeases& ask) const;
  std::string GpuText(std::size_t gpu, const std::string& text, SteadyTime taken) const;

  // On error nothing was done and `reply` was not called.
  using Tickets = std::vector<GpuWorkers::Ticket>;
  Result<Tickets> Set(const local_socket::Peer& peer, const AskSet& ask, const Reply& reply);
  Result<Tickets> RenewLease(const local_socket::Peer& peer, const AskRenew& ask, const Reply& reply);
  Result<Tickets> ReleaseLease(const local_socket::Peer& peer, const AskRelease& ask, const Reply& reply);
  Result<Tickets> Reset(const local_socket::Peer& peer, const AskReset& ask, const Reply& reply);
  Result<lease::Owner> OwnerOf(const local_socket::Peer& peer, const AskSet& ask) const;
  Result<GpuWorkers::Held> LeaseOf(const local_socket::Peer& peer, const std::string& id) const;

  Parts parts_;
  std::vector<Allowance> allowances_;
  RateLimit writes_;
  RateLimit reads_;
  std::vector<std::string> warnings_;
  std::map<uid_t, Buckets> buckets_;
  static constexpr std::string_view kStarting = "starting";
  std::string state_{kStarting};
  SteadyTime started_;
};

}  // namespace heliostat::agent
