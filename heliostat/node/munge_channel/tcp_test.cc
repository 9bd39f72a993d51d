#include "heliostat/node/munge_channel/tcp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "heliostat/node/local_socket/line_client.h"

namespace heliostat::munge_channel {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr std::uint16_t kPort = 6842;

TEST(TcpTest, AnAddressIsReadAsItIsWritten) {
  EXPECT_EQ(ParseHostPort("ctl1", kPort, "x"), (HostPort{"ctl1", kPort}));
  EXPECT_EQ(ParseHostPort("ctl1:7", kPort, "x"), (HostPort{"ctl1", 7}));
  EXPECT_EQ(ParseHostPort("[fe80::1]", kPort, "x"), (HostPort{"fe80::1", kPort}));
  for (const char* text : {"0.0.0.0:65535", "[::]:1", "ctl-1.cluster_2:6842"}) {
    const auto read = ParseHostPort(text, 0, "x");
    ASSERT_TRUE(read) << text << ": " << read.error().Line();
    EXPECT_EQ(read->Text(), text);
  }
}

TEST(TcpTest, WhatIsNoAddressIsRefusedInOneLine) {
  for (const char* text : {"", ":1", "a:", "a:0", "a:65536", "a:x", "a:1x", "a b:1", "::1", "[::1", "[a]:1", "[::1]7",
                           "[::1]:", "a/b:1", "[]:1"}) {
    for (const std::uint16_t otherwise : {std::uint16_t{0}, kPort}) {
      const auto read = ParseHostPort(text, otherwise, "listen");
      ASSERT_FALSE(read) << text;
      EXPECT_THAT(read.error().Line(), HasSubstr("listen: '"));
    }
  }
  EXPECT_THAT(ParseHostPort("ctl1", 0, "listen").error().Line(), HasSubstr("has no port"));
}

TEST(TcpTest, OnlyNumbersAreNumeric) {
  for (const char* text : {"0.0.0.0", "::", "10.1.2.3", "fe80::1"}) EXPECT_TRUE(IsNumeric(text)) << text;
  for (const char* text : {"ctl1", "10.1.2", "10.1.2.3.4", ""}) EXPECT_FALSE(IsNumeric(text)) << text;
}

TEST(TcpTest, AClientReachesAListenerAndIsKnownByItsAddress) {
  auto listener = ListenTcp({"127.0.0.1", 0});
  ASSERT_TRUE(listener) << listener.error().Line();
  const HostPort there{"localhost", PortOf(*listener)};
  const auto taken = ListenTcp({"127.0.0.1", there.port});
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().Line(), HasSubstr("another program listens there"));
  const auto fd = ConnectTcp(there, 30s);
  ASSERT_TRUE(fd) << fd.error().Line();
  auto client = local_socket::LineClient::Of(*fd, there.Text());
  pollfd ready{listener->fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&ready, 1, 30'000), 1);
  const int accepted = ::accept(listener->fd(), nullptr, nullptr);
  const auto peer = TcpPeer(accepted);
  ASSERT_TRUE(peer) << peer.error().Line();
  EXPECT_EQ(peer->address, "127.0.0.1");
  EXPECT_FALSE(peer->is_root()) << "an address is no user";
  ::close(accepted);
  EXPECT_EQ(client.Ask("x", 30s, 100).error().code, ErrorCode::kUnavailable);
}

TEST(TcpTest, WhoListensForAllListensForBothFamilies) {
  const auto listener = ListenTcp({"::", 0});
  if (!listener) GTEST_SKIP() << "no IPv6: " << listener.error().Line();
  const auto fd = ConnectTcp({"127.0.0.1", PortOf(*listener)}, 30s);
  ASSERT_TRUE(fd) << fd.error().Line();
  pollfd ready{listener->fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&ready, 1, 30'000), 1);
  const int accepted = ::accept(listener->fd(), nullptr, nullptr);
  EXPECT_EQ(TcpPeer(accepted)->address, "127.0.0.1") << "as without the mapping";
  ::close(accepted);
  ::close(*fd);
}

TEST(TcpTest, ClosedPortsAndUnknownNamesAreErrors) {
  std::uint16_t port = 0;
  {
    const auto listener = ListenTcp({"127.0.0.1", 0});
    ASSERT_TRUE(listener);
    port = PortOf(*listener);
  }
  const auto closed = ConnectTcp({"127.0.0.1", port}, 30s);
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().Line(), HostPort({"127.0.0.1", port}).Text() + ": no server listens there");
  EXPECT_FALSE(ListenTcp({"ctl1", 1})) << "a name";
  EXPECT_FALSE(ListenTcp({"192.0.2.1", 0})) << "an address of another host";
}

TEST(TcpTest, AHostThatDoesNotAnswerIsGivenUp) {
  auto listener = ListenTcp({"127.0.0.1", 0});
  ASSERT_TRUE(listener);
  ASSERT_EQ(::listen(listener->fd(), 0), 0);
  std::vector<int> open;
  Result<int> last = 0;
  while ((last = ConnectTcp({"127.0.0.1", PortOf(*listener)}, 50ms)) && open.size() < 100) open.push_back(*last);
  ASSERT_FALSE(last) << "the queue of the listener is never full";
  EXPECT_THAT(last.error().Line(), HasSubstr("does not answer in time"));
  for (const int fd : open) ::close(fd);
}

}  // namespace
}  // namespace heliostat::munge_channel
