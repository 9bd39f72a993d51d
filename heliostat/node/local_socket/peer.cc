#include "heliostat/node/local_socket/peer.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

// Older headers than the kernels we run on.
#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

namespace heliostat::local_socket {

Result<Peer> PeerOf(int fd) {
  ucred credentials{};
  socklen_t length = sizeof(credentials);
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) {
    return Fail(ErrorCode::kPermissionDenied, "socket", std::strerror(errno), "the kernel must identify the peer");
  }
  Peer peer{credentials.pid, credentials.uid, {credentials.gid}, ProcessHandle::OfPeer(fd, credentials.pid)};
  // The first call returns the size that is needed.
  length = 0;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, nullptr, &length) != 0 && errno == ERANGE) {
    std::vector<gid_t> groups(length / sizeof(gid_t));
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &length) == 0) {
      groups.resize(length / sizeof(gid_t));
      peer.gids.insert(peer.gids.end(), groups.begin(), groups.end());
    }
  }
  // Without the other groups the peer has fewer rights, never more.
  return peer;
}

}  // namespace heliostat::local_socket
