#include "heliostat/node/local_socket/line_connection.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace heliostat::local_socket {
namespace {

constexpr LineLimits kLimits{4096, std::size_t{256} * 1024};

// Two ends of a connection: the server's and a client's.
struct Ends {
  Ends() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    server = std::make_unique<LineConnection>(ends[0], Peer{}, kLimits);
    client = ends[1];
  }
  ~Ends() {
    if (client >= 0) ::close(client);
  }
  void Write(std::string_view bytes) const {
    ASSERT_EQ(::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  std::unique_ptr<LineConnection> server;
  int client = -1;
};

RC_GTEST_PROP(LineConnectionTest, LinesComeWholeHoweverTheyWereCut, ()) {
  const auto lines = *rc::gen::resize(
      20, rc::gen::container<std::vector<std::string>>(rc::gen::container<std::string>(rc::gen::inRange('a', 'z'))));
  std::string bytes;
  for (const std::string& line : lines) bytes += line + "\n";
  const Ends ends;
  std::vector<std::string> got;
  while (!bytes.empty()) {
    const auto size = static_cast<std::size_t>(*rc::gen::inRange<int>(1, 12));
    const std::string part = bytes.substr(0, size);
    bytes.erase(0, size);
    ends.Write(part);
    RC_ASSERT(ends.server->Receive());
    while (auto line = ends.server->NextLine()) got.push_back(*line);
  }
  RC_ASSERT(got == lines);
}

TEST(LineConnectionTest, ALineThatIsTooLongIsOneRefusalAndTheNextIsRead) {
  const Ends ends;
  std::vector<std::string> got;
  const std::string part(kLimits.line_bytes, 'x');
  for (int i = 0; i < 20; ++i) {
    ends.Write(part);
    ASSERT_TRUE(ends.server->HasRoom());
    ASSERT_TRUE(ends.server->Receive());
    while (auto line = ends.server->NextLine()) got.push_back(*line);
  }
  ends.Write("\n{\"do\":\"list\"}\n");
  ASSERT_TRUE(ends.server->Receive());
  while (auto line = ends.server->NextLine()) got.push_back(*line);
  ASSERT_EQ(got.size(), 2U);
  EXPECT_GT(got[0].size(), kLimits.line_bytes);
  EXPECT_EQ(got[1], "{\"do\":\"list\"}");
}

TEST(LineConnectionTest, TheLastLineNeedsNoEnd) {
  Ends ends;
  ends.Write("last");
  ASSERT_TRUE(ends.server->Receive());
  EXPECT_FALSE(ends.server->HasLine());
  ::close(std::exchange(ends.client, -1));
  ASSERT_TRUE(ends.server->Receive());
  EXPECT_TRUE(ends.server->has_ended());
  EXPECT_EQ(ends.server->NextLine(), "last");
  EXPECT_EQ(ends.server->NextLine(), std::nullopt);
}

TEST(LineConnectionTest, WhoDoesNotReadIsDroppedAtABound) {
  const Ends ends;
  const std::string answer(1000, 'a');
  int sent = 0;
  while (sent < 10'000 && ends.server->Send(answer)) ++sent;
  EXPECT_LT(sent, 10'000);
  EXPECT_GT(sent, static_cast<int>(kLimits.unsent_bytes / answer.size()) - 2);
}

}  // namespace
}  // namespace heliostat::local_socket
