#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/node/local_socket/process_handle.h"

namespace heliostat::local_socket {

// The process at the other end of a socket, as the kernel saw it when it connected. Holds nothing that the peer sent.
struct Peer {
  pid_t pid = 0;  // 0: it has none in this process's pid namespace
  uid_t uid = 0;
  std::vector<gid_t> gids;                                 // the primary group and all others
  std::shared_ptr<const ProcessHandle> process = nullptr;  // absent where the kernel has none
  std::string address = {};  // of a peer on another host, of which the kernel knows no process and no user

  bool is_root() const { return uid == 0; }
};

// SO_PEERCRED, SO_PEERGROUPS and SO_PEERPIDFD of a connected Unix socket.
Result<Peer> PeerOf(int fd);

}  // namespace heliostat::local_socket
