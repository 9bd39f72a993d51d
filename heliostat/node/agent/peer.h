#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::agent {

// The process at the other end of a socket, as the kernel saw it when it connected. Holds nothing that the peer sent.
struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
  std::vector<gid_t> gids;  // the primary group and all others

  bool is_root() const { return uid == 0; }
};

// SO_PEERCRED and SO_PEERGROUPS of a connected Unix socket.
Result<Peer> PeerOf(int fd);

// The real user of a process; absent when there is no such process.
std::optional<uid_t> UserOf(pid_t pid);

}  // namespace heliostat::agent
