#include "heliostat/node/local_socket/peer.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace heliostat::local_socket {
namespace {

TEST(PeerTest, TheKernelSaysWhoIsThere) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const auto peer = PeerOf(ends[1]);
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->uid, ::geteuid());
  EXPECT_EQ(peer->pid, ::getpid());
  std::vector<gid_t> groups(static_cast<std::size_t>(::getgroups(0, nullptr)));
  ASSERT_GE(::getgroups(static_cast<int>(groups.size()), groups.data()), 0);
  groups.push_back(::getegid());
  for (const gid_t group : groups)
    EXPECT_EQ(std::count(peer->gids.begin(), peer->gids.end(), group) > 0, true) << group;
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(PeerTest, WhatIsNoSocketHasNoPeer) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  EXPECT_EQ(PeerOf(pipe[0]).error().code, ErrorCode::kPermissionDenied);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace heliostat::local_socket
