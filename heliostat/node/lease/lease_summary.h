#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"
#include "heliostat/node/lease/lease.h"

namespace heliostat::lease {

// A lease as it is shown to others: the owner's process by its number, the time as what is left of it. A value, so that
// what the agent tells over its socket and what a book on this machine holds are the same type.
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
LeaseSummary SummaryOf(const Lease& lease, std::chrono::seconds since_boot);

// A new lease, and what the card did; for one that is outdone, what stands.
struct Grant {
  LeaseSummary lease;
  device::Applied applied;
  friend bool operator==(const Grant&, const Grant&) = default;
};

// {"id", "gpu", "owner": {"uid", "user", "pid", "job"}, "wanted", "previous", "granted", "expires_in_s", "state"}.
io::Json Describe(const LeaseSummary& lease);
Result<LeaseSummary> ReadSummary(const io::Json& json);
// A list of them.
io::Json Describe(const std::vector<LeaseSummary>& leases);
Result<std::vector<LeaseSummary>> ReadSummaries(const io::Json& json);
// {"lease", "applied"}.
io::Json Describe(const Grant& grant);
Result<Grant> ReadGrant(const io::Json& json);

}  // namespace heliostat::lease
