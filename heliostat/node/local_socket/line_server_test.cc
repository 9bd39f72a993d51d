#include "heliostat/node/local_socket/line_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "heliostat/base/io/testing/scratch.h"
#include "heliostat/node/local_socket/line_client.h"
#include "heliostat/node/local_socket/testing/raw_connection.h"

namespace heliostat::local_socket {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::size_t kLong = std::size_t{20} * 1000 * 1000;
constexpr uid_t kAda = 1001;
constexpr uid_t kNobody = 65534;

std::optional<std::string> NoVariable(const std::string& /*name*/) { return std::nullopt; }

class LineServerTest : public ::testing::Test {
 protected:
  LineServerTest() {
    options_.now = [this] { return Clock::Time(std::chrono::seconds(seconds_.load())); };
  }
  ~LineServerTest() override { End(); }

  // Understands: "long" (an answer of 20 MB), "two lines", "uid"; answers others with themselves.
  static std::string Answer(const Peer& peer, std::string_view line) {
    if (line == "long") return std::string(kLong, 'x');
    if (line == "two lines") return "one\ntwo";
    if (line == "uid") return std::to_string(peer.uid);
    return "you said " + std::string(line);
  }
  void Open() {
    auto listener = Listener::Open(path(), NoVariable);
    ASSERT_TRUE(listener) << listener.error().Line();
    server_ = std::make_unique<LineServer>(*std::move(listener), Answer, options_);
  }
  void Start() {
    if (server_ == nullptr) Open();
    thread_ = std::thread([this] { server_->Run(); });
  }
  void End() {
    if (!thread_.joinable()) return;
    server_->Stop();
    thread_.join();
  }
  std::string path() const { return scratch_.folder() / "a.sock"; }
  Result<std::string> Ask(std::string_view line) const { return AskLine(path(), line, 30s, 2 * kLong); }

  const io::Scratch scratch_;
  std::atomic<int> seconds_{1000};
  LineServerOptions options_;
  std::unique_ptr<LineServer> server_;
  std::thread thread_;
};

TEST_F(LineServerTest, AnswersEachOfManyClientsAtOnce) {
  Start();
  const RawConnection first(path());
  const RawConnection second(path());
  first.Send("begun");
  second.Send("1\n2\n3\n");
  EXPECT_EQ(second.ReadLine(), "you said 1");
  first.Send(" and ended\n");
  EXPECT_EQ(first.ReadLine(), "you said begun and ended");
  EXPECT_EQ(second.ReadLine(), "you said 2");
  EXPECT_EQ(second.ReadLine(), "you said 3");
  std::vector<std::thread> clients;
  std::atomic<int> right{0};
  for (int client = 0; client < 4; ++client) {
    clients.emplace_back([&, client] {
      for (int i = 0; i < 50; ++i) {
        const std::string line = fmt::format("{} of {}", i, client);
        right += Ask(line) == "you said " + line ? 1 : 0;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(right, 4 * 50);
}

TEST_F(LineServerTest, AnAnswerOfManyMegabytesComesWhole) {
  Start();
  const auto answer = Ask("long");
  ASSERT_TRUE(answer) << answer.error().Line();
  EXPECT_TRUE(*answer == std::string(kLong, 'x'));
}

TEST_F(LineServerTest, WhoSendsNoWholeRequestIsClosedAndStallsNobody) {
  Start();
  const RawConnection silent(path());
  const RawConnection slow(path());
  slow.Send("1\n");
  EXPECT_EQ(slow.ReadLine(), "you said 1") << "and both connections are accepted";
  for (int i = 0; i < 3; ++i) {
    slow.Send("x");  // bytes without a request do not count
    seconds_ += 25;
    EXPECT_EQ(Ask("hello"), "you said hello");
  }
  EXPECT_THAT(silent.ReadAll(), IsEmpty());
  EXPECT_THAT(slow.ReadAll(), IsEmpty());
}

TEST_F(LineServerTest, AnEndlessRequestIsRefusedAndClosed) {
  Start();
  const RawConnection endless(path());
  EXPECT_LT(endless.Send(std::string(10'000'000, 'x')), 10'000'000U);
  EXPECT_EQ(endless.ReadAll(), "request: is too long; at most 65536 bytes\n");
  const auto answer = Ask(std::string(10'000'000, 'x'));
  EXPECT_EQ(answer, "request: is too long; at most 65536 bytes");
  EXPECT_EQ(Ask(std::string(65'536, 'x')), "you said " + std::string(65'536, 'x'));
}

TEST_F(LineServerTest, WhoDoesNotReadStallsNobodyAndIsClosed) {
  Start();
  const RawConnection dead(path());
  dead.Send("long\n");
  EXPECT_EQ(Ask("hello"), "you said hello");
  const RawConnection slow(path());
  slow.Send("long\nhello\n");
  EXPECT_EQ(Ask("hello"), "you said hello");
  EXPECT_TRUE(slow.ReadLine() == std::string(kLong, 'x'));
  EXPECT_EQ(slow.ReadLine(), "you said hello") << "the next request waits for the end of the answer";
  seconds_ += 61;
  EXPECT_EQ(Ask("hello"), "you said hello");
  const std::string part = dead.ReadAll();
  EXPECT_LT(part.size(), kLong) << "the connection was closed within the answer";
  EXPECT_GT(part.size(), 0U);
}

TEST_F(LineServerTest, AClientThatGoesAwayLeavesNothing) {
  options_.max_connections = 1;
  options_.identify = [](int) -> Result<Peer> { return Peer{1, 0, {}}; };
  Start();
  for (const std::string request : {"", "x", "hello\n", "long\n"}) {
    {
      const RawConnection gone(path());
      gone.Send(request);
    }
    // Its connection was the only one that is allowed; the server notices in a moment.
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (Ask("hello") != "you said hello") ASSERT_LT(std::chrono::steady_clock::now(), deadline) << request;
  }
}

TEST_F(LineServerTest, ARequestMayEndWithTheClientsSide) {
  Start();
  const RawConnection client(path());
  client.Send("1\nlast");
  ::shutdown(client.fd(), SHUT_WR);
  EXPECT_EQ(client.ReadAll(), "you said 1\nyou said last\n");
}

TEST_F(LineServerTest, ConnectionsAreBoundedAndOneUserCannotHaveThemAll) {
  options_.max_connections = 8;
  std::atomic<uid_t> uid{kAda};
  options_.identify = [&](int) -> Result<Peer> { return Peer{1, uid.load(), {}}; };
  options_.refusal = [](const Error& error) { return "refused: " + error.Line(); };
  Start();
  const RawConnection first(path());
  const RawConnection second(path());
  EXPECT_EQ(Ask("hello"), "refused: server: 2 connections are open, 2 of user 1001; 7 are allowed, 2 of one user");
  uid = kAda + 1;
  EXPECT_EQ(Ask("hello"), "you said hello");
  End();
}

TEST_F(LineServerTest, WhoCannotBeIdentifiedIsRefused) {
  options_.identify = [](int) -> Result<Peer> { return Fail(ErrorCode::kPermissionDenied, "socket", "nobody"); };
  Start();
  EXPECT_EQ(Ask("hello"), "socket: nobody");
}

TEST_F(LineServerTest, UnreadAnswersAreBounded) {
  options_.most_unsent_bytes = 4 * (kLong / 2);
  std::atomic<uid_t> uid{kAda};
  options_.identify = [&](int) -> Result<Peer> { return Peer{1, uid.load(), {}}; };
  Start();
  const RawConnection dead(path());
  const RawConnection other(path());
  dead.Send("long\n");
  char byte = 0;
  ASSERT_EQ(::recv(dead.fd(), &byte, 1, 0), 1) << "the answer is on its way";
  other.Send("hello\n");
  EXPECT_THAT(other.ReadLine(), AllOf(StartsWith("server: answers of "), HasSubstr("10000000 of one user")));
  uid = kAda + 1;
  EXPECT_EQ(Ask("hello"), "you said hello");
  dead.ReadLine();
  other.Send("hello\n");
  EXPECT_EQ(other.ReadLine(), "you said hello");
  End();
}

TEST_F(LineServerTest, AnAnswerOfTwoLinesIsAnError) {
  Start();
  const RawConnection client(path());
  client.Send("two lines\nhello\n");
  EXPECT_EQ(client.ReadLine(), "server: its answer has several lines");
  EXPECT_EQ(client.ReadLine(), "you said hello");
}

TEST_F(LineServerTest, TheKernelSaysWhoAsks) {
  Open();
  // Before a thread runs: a process of another user, where this one may make one.
  const pid_t child = ::geteuid() == 0 ? ::fork() : -1;
  if (child == 0) {
    if (::seteuid(kNobody) != 0) ::_exit(2);
    ::_exit(Ask("uid") == std::to_string(kNobody) ? 0 : 1);
  }
  Start();
  EXPECT_EQ(Ask("uid"), std::to_string(::geteuid()));
  if (child < 0) return;
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(LineServerTest, TheSocketOfAKilledServerIsReplacedAndThatOfALiveOneNot) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto listener = Listener::Open(path(), NoVariable);
    if (!listener) ::_exit(1);
    LineServer server(*std::move(listener), Answer);
    (void)!::write(ready[1], "x", 1);
    server.Run();
    ::_exit(0);
  }
  ::close(ready[1]);
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  EXPECT_EQ(Ask("hello"), "you said hello");
  const auto second = Listener::Open(path(), NoVariable);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().Line(), HasSubstr(path() + ": another program answers there"));
  EXPECT_EQ(Ask("hello"), "you said hello") << "the first one is left alone";
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_TRUE(std::filesystem::exists(path()));
  EXPECT_EQ(Ask("hello").error().code, ErrorCode::kUnavailable);
  Start();
  EXPECT_EQ(Ask("hello"), "you said hello");
}

TEST_F(LineServerTest, StopsFromAnyThreadWhateverClientsDo) {
  Start();
  const RawConnection silent(path());
  const RawConnection dead(path());
  dead.Send("long\n");
  char byte = 0;
  ASSERT_EQ(::recv(dead.fd(), &byte, 1, 0), 1);
  std::thread stopper([this] { server_->Stop(); });
  thread_.join();
  stopper.join();
  server_->Run();  // stays stopped
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_THAT(silent.ReadAll(), IsEmpty());
}

TEST_F(LineServerTest, AnAnswerMayComeLaterAndOthersAreServedMeanwhile) {
  auto listener = Listener::Open(path(), NoVariable);
  ASSERT_TRUE(listener);
  std::vector<LineServer::Ticket> tickets;
  LineServer server(
      *std::move(listener),
      [&](LineServer::Ticket ticket, const Peer&, std::string_view line) {
        if (line == "now") server.Reply(ticket, "at once");
        if (line != "now") tickets.push_back(ticket);
      },
      options_);
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  server.Watch(pipe[0], [&] {
    char byte = 0;
    (void)!::read(pipe[0], &byte, 1);
    for (const LineServer::Ticket ticket : tickets) server.Reply(ticket, "at last");
  });
  const RawConnection patient(path());
  auto gone = std::make_unique<RawConnection>(path());
  const RawConnection quick(path());
  patient.Send("later\nnow\n");
  gone->Send("later\n");
  quick.Send("now\n");
  while (tickets.size() < 2) server.Step(-1ms);
  server.Step(0ms);
  EXPECT_EQ(quick.ReadLine(), "at once");
  seconds_ += 61;
  server.Step(0ms);  // a connection that waits for its answer is not idle
  gone.reset();
  server.Step(-1ms);
  pollfd ready{server.event_fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&ready, 1, 0), 0) << "the connection that is gone is closed, and the next line waits";
  ASSERT_EQ(::write(pipe[1], "x", 1), 1);
  for (int i = 0; i < 3; ++i) server.Step(0ms);
  EXPECT_EQ(patient.ReadLine(), "at last");
  EXPECT_EQ(patient.ReadLine(), "at once");
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_F(LineServerTest, AStepEndsAtItsTimeAndWhenItIsStopped) {
  Open();
  server_->Step(0ms);
  server_->Step(1ms);
  std::thread stopper([this] { server_->Stop(); });
  server_->Step(-1ms);
  stopper.join();
}

TEST_F(LineServerTest, ALoopWithOtherFilesKnowsWhenToStep) {
  Open();
  pollfd ready{server_->event_fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&ready, 1, 0), 0);
  const RawConnection client(path());
  client.Send("1\n2\n3\n");
  int steps = 0;
  for (std::string got; std::count(got.begin(), got.end(), '\n') < 3; ++steps) {
    ASSERT_EQ(::poll(&ready, 1, 30'000), 1) << got;
    server_->Step(0ms);
    char byte = 0;
    while (::recv(client.fd(), &byte, 1, MSG_DONTWAIT) == 1) got += byte;
  }
  EXPECT_GE(steps, 3) << "one request of a connection each time";
  server_->Step(0ms);
  EXPECT_EQ(::poll(&ready, 1, 0), 0) << "there is nothing to do";
}

TEST_F(LineServerTest, WithoutFilesLeftItWaitsAndGoesOn) {
  Open();
  const RawConnection client(path());
  client.Send("hello\n");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int lowest = ::dup(client.fd());
  ::close(lowest);
  const rlimit none{static_cast<rlim_t>(lowest), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  server_->Step(-1ms);
  pollfd ready{server_->event_fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&ready, 1, 0), 0) << "it does not try at once again";
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  seconds_ += 1;
  for (int i = 0; i < 3; ++i) server_->Step(0ms);
  EXPECT_EQ(client.ReadLine(), "you said hello");
}

}  // namespace
}  // namespace heliostat::local_socket
