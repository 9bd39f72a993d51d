#pragma once

#include <chrono>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"
#include "heliostat/node/agent/config.h"
#include "heliostat/node/agent/peer.h"
#include "heliostat/node/device/gpu.h"

namespace heliostat::agent {

// What somebody wants to do to a GPU.
struct WriteWish {
  const device::Identity& gpu;
  device::Setting setting;
  std::chrono::seconds ttl{0};
  int leases_held = 0;  // by the same user, this one not counted
};

// Root's, and a bound for everybody: memory is finite.
inline constexpr int kMostLeases = 4096;

bool AppliesTo(const Allowance& allowance, const Peer& peer);

// Allowed when one allowance covers all of the wish; two that cover a half each do not add up. Deny by default; root
// may do what the card can. A refusal says what would be allowed.
Status CheckRight(const std::vector<Allowance>& allowances, const Peer& peer, const WriteWish& wish);

// A lease may follow the life of the caller's own processes only, or else one user could watch or outlive another's.
// `owner`: who the process belongs to; nothing when there is none. Root: any.
Status CheckProcess(const Peer& peer, pid_t pid, const std::optional<uid_t>& owner);

// What this caller may do: {"uid", "is_root", "allowed": [{"gpus", "knobs", "power_limit_w", ..., "text"}]}.
io::Json DescribeRights(const std::vector<Allowance>& allowances, const Peer& peer);

}  // namespace heliostat::agent
