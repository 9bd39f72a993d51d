#include "heliostat/node/local_socket/connection_share.h"

#include <fmt/format.h>

#include <algorithm>

namespace heliostat::local_socket {
namespace {

constexpr std::size_t kShareOfOne = 4;
constexpr std::size_t kShareOfRoot = 8;

}  // namespace

Claimant UserOf(const Peer& peer) { return {"user", fmt::format("{}", peer.uid), peer.is_root()}; }

Share ShareOf(std::size_t all, bool is_root) {
  if (is_root) return {all, all};
  return {std::max<std::size_t>(1, all / kShareOfOne), all - all / kShareOfRoot};
}

Status Admit(const Claimant& claimant, const OpenConnections& open, std::size_t most, const std::string& where) {
  const Share share = ShareOf(most, claimant.is_root);
  if (open.of_claimant < share.of_one && open.together < share.together) return {};
  return Fail(ErrorCode::kUnavailable, where,
              fmt::format("{} connections are open, {} of {} {}", open.together, open.of_claimant, claimant.kind,
                          claimant.name),
              fmt::format("{} are allowed, {} of one {}", share.together, share.of_one, claimant.kind));
}

}  // namespace heliostat::local_socket
