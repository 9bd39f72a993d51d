#pragma once

#include <cstddef>
#include <string>

#include "heliostat/base/core/error.h"
#include "heliostat/node/local_socket/peer.h"

namespace heliostat::local_socket {

// Whose connections are counted together.
struct Claimant {
  std::string kind;  // "user"
  std::string name;  // "1001"
  bool is_root = false;
};
Claimant UserOf(const Peer& peer);

// What claimants may take of a bounded supply, such as connections. One that is not root gets a quarter, so that it
// cannot lock out the others. All of them together leave an eighth to root.
struct Share {
  std::size_t of_one = 0;    // of the claimant who asks
  std::size_t together = 0;  // of all claimants, when this one asks
};
Share ShareOf(std::size_t all, bool is_root);

// Open connections, when a claimant opens another one.
struct OpenConnections {
  std::size_t of_claimant = 0;
  std::size_t together = 0;
};
// kUnavailable when that would exceed the claimant's share of `most` connections. `where`: of the error.
Status Admit(const Claimant& claimant, const OpenConnections& open, std::size_t most, const std::string& where);

}  // namespace heliostat::local_socket
