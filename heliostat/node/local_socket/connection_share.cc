#include "heliostat/node/local_socket/connection_share.h"

#include <fmt/format.h>

#include <algorithm>

namespace heliostat::local_socket {
namespace {

constexpr std::size_t kShareOfUser = 4;
constexpr std::size_t kShareOfRoot = 8;

}  // namespace

Share ShareOf(std::size_t all, const Peer& peer) {
  if (peer.is_root()) return {all, all};
  return {std::max<std::size_t>(1, all / kShareOfUser), all - all / kShareOfRoot};
}

Status Admit(const Peer& peer, const OpenConnections& open, std::size_t most, const std::string& where) {
  const Share share = ShareOf(most, peer);
  if (open.of_peers_user < share.of_one && open.together < share.together) return {};
  return Fail(ErrorCode::kUnavailable, where,
              fmt::format("{} connections are open, {} of user {}", open.together, open.of_peers_user, peer.uid),
              fmt::format("{} are allowed, {} of one user", share.together, share.of_one));
}

}  // namespace heliostat::local_socket
