#pragma once

#include <cstddef>

#include "heliostat/base/core/error.h"
#include "heliostat/node/local_socket/peer.h"

namespace heliostat::local_socket {

// What users may take of a bounded supply, such as connections. A user other than root gets a quarter, so that one user
// cannot lock out the others. All of them together leave an eighth to root.
struct Share {
  std::size_t of_one = 0;    // of the user who asks
  std::size_t together = 0;  // of all users, when this user asks
};
Share ShareOf(std::size_t all, const Peer& peer);

// Open connections, when `peer` opens another one.
struct OpenConnections {
  std::size_t of_peers_user = 0;
  std::size_t together = 0;
};
// kUnavailable when that would exceed the user's share of `most` connections. `where`: of the error.
Status Admit(const Peer& peer, const OpenConnections& open, std::size_t most, const std::string& where);

}  // namespace heliostat::local_socket
