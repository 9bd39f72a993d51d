#include "heliostat/node/agent/client_connection.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "heliostat/node/agent/protocol.h"
#include "heliostat/node/agent/token_bucket.h"

namespace heliostat::agent {
namespace {

using namespace std::chrono_literals;

// Two ends of a connection: the agent's and a client's.
struct Ends {
  Ends() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    session = std::make_unique<ClientConnection>(ends[0], local_socket::Peer{});
    client = ends[1];
  }
  ~Ends() {
    if (client >= 0) ::close(client);
  }
  void Write(std::string_view bytes) const {
    ASSERT_EQ(::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  std::unique_ptr<ClientConnection> session;
  int client = -1;
};

RC_GTEST_PROP(SessionTest, LinesComeWholeHoweverTheyWereCut, ()) {
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
    RC_ASSERT(ends.session->Receive());
    while (auto line = ends.session->NextLine()) got.push_back(*line);
  }
  RC_ASSERT(got == lines);
}

TEST(SessionTest, ALineThatIsTooLongIsOneRefusalAndTheNextIsRead) {
  const Ends ends;
  std::vector<std::string> got;
  const std::string part(kMostRequestBytes, 'x');
  for (int i = 0; i < 20; ++i) {
    ends.Write(part);
    ASSERT_TRUE(ends.session->HasRoom());
    ASSERT_TRUE(ends.session->Receive());
    while (auto line = ends.session->NextLine()) got.push_back(*line);
  }
  ends.Write("\n{\"do\":\"list\"}\n");
  ASSERT_TRUE(ends.session->Receive());
  while (auto line = ends.session->NextLine()) got.push_back(*line);
  ASSERT_EQ(got.size(), 2U);
  EXPECT_FALSE(ParseRequest(got[0]));
  EXPECT_EQ(got[1], "{\"do\":\"list\"}");
}

TEST(SessionTest, TheLastLineNeedsNoEnd) {
  Ends ends;
  ends.Write("last");
  ASSERT_TRUE(ends.session->Receive());
  EXPECT_FALSE(ends.session->HasLine());
  ::close(std::exchange(ends.client, -1));
  ASSERT_TRUE(ends.session->Receive());
  EXPECT_TRUE(ends.session->has_ended());
  EXPECT_EQ(ends.session->NextLine(), "last");
  EXPECT_EQ(ends.session->NextLine(), std::nullopt);
}

TEST(SessionTest, WhoDoesNotReadIsDroppedAtABound) {
  const Ends ends;
  const std::string answer(1000, 'a');
  int sent = 0;
  while (sent < 10'000 && ends.session->Send(answer)) ++sent;
  EXPECT_LT(sent, 10'000);
  EXPECT_GT(sent, static_cast<int>(ClientConnection::kMostUnsent / answer.size()) - 2);
}

RC_GTEST_PROP(TokenBucketTest, NeverLetsMoreThroughThanItsBurstAndRate, ()) {
  const RateLimit rate{static_cast<double>(*rc::gen::inRange(1, 50)), static_cast<double>(*rc::gen::inRange(1, 50))};
  SteadyTime now = 1000s;
  TokenBucket bucket(rate, now);
  int through = 0;
  const SteadyTime start = now;
  for (const int step : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 300))) {
    now += std::chrono::milliseconds(step);
    through += bucket.Take(rate, now) ? 1 : 0;
    RC_ASSERT(through <= rate.burst + Seconds(now - start).count() * rate.per_second + 1e-6);
  }
}

TEST(TokenBucketTest, LetsTheBurstThroughAndFillsUpAgain) {
  const RateLimit rate{2.0, 5.0};
  TokenBucket bucket(rate, 0s);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(bucket.Take(rate, 0s)) << i;
  EXPECT_FALSE(bucket.Take(rate, 0s));
  EXPECT_TRUE(bucket.Take(rate, 500ms));
  EXPECT_FALSE(bucket.Take(rate, 900ms));
  EXPECT_FALSE(bucket.IsFull(rate, 2s));
  EXPECT_TRUE(bucket.IsFull(rate, 4s));
}

}  // namespace
}  // namespace heliostat::agent
