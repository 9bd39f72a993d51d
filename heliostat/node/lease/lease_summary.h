#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"
#include "heliostat/node/lease/lease.h"

namespace heliostat::lease {

// A lease as programs and users see it: the owner's process as its id, the expiry as the time that is left. Leases that
// the agent reports over its socket and leases that this process reads from a journal have this one type.
struct LeaseSummary {
  std::string id;
  std::string gpu;  // UUID
  uid_t uid = 0;
  std::string user;
  std::optional<pid_t> pid;
  std::string job;
  device::Setting wanted;
  device::Setting previous;
  Instant granted;
  std::chrono::seconds left{0};
  LeaseState state = LeaseState::kInForce;
  friend bool operator==(const LeaseSummary&, const LeaseSummary&) = default;
};
// `since_boot`: the present, on the clock of Machine::SinceBoot(). An expired lease has 0 s left.
LeaseSummary SummaryOf(const Lease& lease, std::chrono::seconds since_boot);

// A new lease and what the card did. For a lease that is outdone, `applied` holds the present setting.
struct Grant {
  LeaseSummary lease;
  device::Applied applied;
  friend bool operator==(const Grant&, const Grant&) = default;
};

// {"id", "gpu", "owner": {"uid", "user", "pid", "job"}, "wanted", "previous", "granted", "expires_in_s", "state"}.
io::Json Describe(const LeaseSummary& lease);
Result<LeaseSummary> ReadSummary(const io::Json& json);
// An array of the same objects.
io::Json Describe(const std::vector<LeaseSummary>& leases);
Result<std::vector<LeaseSummary>> ReadSummaries(const io::Json& json);
// {"lease", "applied"}.
io::Json Describe(const Grant& grant);
Result<Grant> ReadGrant(const io::Json& json);

}  // namespace heliostat::lease
