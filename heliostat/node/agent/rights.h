#pragma once

#include <chrono>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"
#include "heliostat/node/agent/config.h"
#include "heliostat/node/device/gpu.h"
#include "heliostat/node/local_socket/peer.h"

namespace heliostat::agent {

// A setting that a user asks for.
struct WriteWish {
  const device::Identity& gpu;
  device::Setting setting;
  std::chrono::seconds ttl{0};
  int leases_held = 0;  // by the same user, without this one
};

// The most leases of any user, root included; bounds the memory of the agent.
inline constexpr int kMostLeases = 4096;

// True when the allowance names the peer's user or one of its groups.
bool AppliesTo(const Allowance& allowance, const local_socket::Peer& peer);

// Succeeds when one allowance covers the whole wish; two that each cover a part do not add up. Without one, returns
// kPermissionDenied with what would be allowed. Root needs no allowance.
Status CheckRight(const std::vector<Allowance>& allowances, const local_socket::Peer& peer, const WriteWish& wish);

// The rights of this peer: {"uid", "is_root", "allowed": [{"gpus", "knobs", "power_limit_w", ..., "text"}]}.
io::Json DescribeRights(const std::vector<Allowance>& allowances, const local_socket::Peer& peer);

}  // namespace heliostat::agent
