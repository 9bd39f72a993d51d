#include "heliostat/node/local_socket/line_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "heliostat/base/io/testing/scratch.h"
#include "heliostat/node/local_socket/listen.h"
#include "heliostat/node/local_socket/testing/raw_connection.h"

namespace heliostat::local_socket {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr std::size_t kMost = 1000;
constexpr uid_t kNobody = 65534;

class LineClientTest : public ::testing::Test {
 protected:
  LineClientTest() {
    auto listener = Listener::Open(path(), [](const std::string&) { return std::nullopt; });
    EXPECT_TRUE(listener) << listener.error().Line();
    listener_ = std::make_unique<Listener>(*std::move(listener));
  }
  ~LineClientTest() override {
    if (thread_.joinable()) thread_.join();
  }
  std::string path() const { return scratch_.folder() / "a.sock"; }
  // In a thread: accepts one connection, reads one line, sends these bytes and closes the connection.
  void Answer(const std::string& bytes) {
    thread_ = std::thread([this, bytes] {
      pollfd ready{listener_->fd(), POLLIN, 0};
      ::poll(&ready, 1, 30'000);
      const int fd = ::accept(listener_->fd(), nullptr, nullptr);
      char byte = 0;
      while (::recv(fd, &byte, 1, 0) == 1 && byte != '\n') request_ += byte;
      (void)!::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      ::close(fd);
    });
  }

  const io::Scratch scratch_;
  std::unique_ptr<Listener> listener_;
  std::thread thread_;
  std::string request_;  // read it after the answer
};

TEST_F(LineClientTest, TheAnswerIsOneWholeLine) {
  Answer("first\nsecond\n");
  EXPECT_EQ(AskLine(path(), "request", 30s, kMost), "first");
  thread_.join();
  EXPECT_EQ(request_, "request");
}

TEST_F(LineClientTest, OneConnectionCarriesSeveralRequests) {
  Answer("first\nsecond\n");
  auto client = LineClient::Connect(path(), 30s);
  ASSERT_TRUE(client) << client.error().Line();
  EXPECT_EQ(client->Ask("1", 30s, kMost), "first");
  thread_.join();
  EXPECT_EQ(client->Ask("2", 30s, kMost), "second") << "although the server has closed the connection";
  EXPECT_TRUE(client->HasBeenClosed());
}

TEST_F(LineClientTest, AnAnswerWithoutEndIsNone) {
  Answer("half an answer");
  const auto answer = AskLine(path(), "request", 30s, kMost);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(answer.error().Line(), path() + ": closed the connection");
}

TEST_F(LineClientTest, AnAnswerThatIsTooLongIsNotKept) {
  for (const std::string end : {"", "\n"}) {
    Answer(std::string(kMost + 1, 'x') + end);
    const auto answer = AskLine(path(), "request", 30s, kMost);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(answer.error().Line(), HasSubstr("longer than 1000 bytes"));
    thread_.join();
  }
  Answer(std::string(kMost, 'x') + "\n");
  EXPECT_EQ(AskLine(path(), "request", 30s, kMost), std::string(kMost, 'x'));
}

TEST_F(LineClientTest, AServerThatDoesNotAnswerIsGivenUp) {
  const auto answer = AskLine(path(), "request", 1ms, kMost);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(answer.error().Line(), path() + ": does not answer in time");
  // Neither is one that does not read a request, nor one that accepts no more connections.
  EXPECT_EQ(AskLine(path(), std::string(10'000'000, 'x'), 1ms, kMost).error().code, ErrorCode::kUnavailable);
  std::vector<std::unique_ptr<RawConnection>> waiting;
  do waiting.push_back(std::make_unique<RawConnection>(path(), SOCK_NONBLOCK));
  while (waiting.back()->error() == 0 && waiting.size() < 10'000);
  ASSERT_EQ(waiting.back()->error(), EAGAIN);
  const auto late = LineClient::Connect(path(), 1ms);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kUnavailable) << late.error().Line();
}

TEST_F(LineClientTest, ALateAnswerIsNotTakenForTheNext) {
  auto client = LineClient::Connect(path(), 30s);
  ASSERT_TRUE(client);
  EXPECT_FALSE(client->Ask("1", 1ms, kMost));
  Answer("1\n2\n");
  EXPECT_THAT(client->Ask("2", 30s, kMost).error().Line(), HasSubstr("the connection is closed"));
}

TEST_F(LineClientTest, NobodyListens) {
  for (const std::string name : {"absent.sock", "a.sock"}) {
    const std::string path = scratch_.folder() / name;
    const auto answer = AskLine(path, "request", 30s, kMost);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(answer.error().Line(), HasSubstr(path + ": no server listens there ("));
    EXPECT_EQ(LineClient::Connect(path, 30s).error().code, ErrorCode::kNotFound);
    // The next name: a file that is no socket.
    listener_.reset();
    std::ofstream(this->path()) << "text";
  }
  EXPECT_EQ(AskLine(std::string(300, 'x'), "request", 30s, kMost).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(LineClientTest, WhoMayNotConnectIsToldSo) {
  std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
  // In another process: permissions do not bind root, and the user of this one is not changed.
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::seteuid(kNobody) != 0) ::_exit(2);
    const auto answer = AskLine(path(), "request", 1s, kMost);
    ::_exit(!answer && answer.error().code == ErrorCode::kPermissionDenied ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (::geteuid() != 0) GTEST_SKIP() << "the owner may always connect";
  EXPECT_EQ(status, 0);
}

TEST_F(LineClientTest, ARequestOfTwoLinesIsNotSent) {
  EXPECT_EQ(AskLine(path(), "one\ntwo", 1ms, kMost).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace heliostat::local_socket
