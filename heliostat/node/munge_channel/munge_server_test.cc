#include "heliostat/node/munge_channel/munge_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>

#include "heliostat/base/core/clock.h"
#include "heliostat/node/local_socket/line_client.h"
#include "heliostat/node/munge_channel/envelope.h"
#include "heliostat/node/munge_channel/munge_client.h"
#include "heliostat/node/munge_channel/tcp.h"
#include "heliostat/node/munge_channel/testing/munge_daemon.h"

namespace heliostat::munge_channel {
namespace {

using namespace std::chrono_literals;
using local_socket::LineClient;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::size_t kMiB = std::size_t{1} << 20;

class MungeServerTest : public ::testing::Test {
 protected:
  MungeServerTest() {
    options_.service = "controller";
    options_.names = {"Localhost"};
    if (MungeDaemon::IsInstalled()) munged_.emplace();
    if (munged_) options_.commands = munged_->commands();
    options_.steady = [this] { return Clock::Time(std::chrono::milliseconds(steady_ms_.load())); };
  }
  void SetUp() override {
    if (!munged_) GTEST_SKIP() << "munge is not installed";
    ASSERT_TRUE(munged_->is_running());
  }
  void Start() {
    auto listener = ListenTcp({"127.0.0.1", 0});
    ASSERT_TRUE(listener) << listener.error().Line();
    peer_ = {{"localhost", PortOf(*listener)}, "controller", ::geteuid()};
    // Understands a number: so many bytes.
    server_ = std::make_unique<MungeServer>(
        *std::move(listener),
        [](uid_t uid, std::string_view request) {
          if (request.find_first_not_of("0123456789") != std::string_view::npos) {
            return std::to_string(uid) + " asks " + std::string(request);
          }
          std::string answer(std::stoul(std::string(request)), 'x');
          for (std::size_t i = 0; i < answer.size(); i += 997) answer[i] = static_cast<char>('a' + i % 26);
          return answer;
        },
        options_);
  }
  Result<std::string> Ask(std::string_view request) {
    return AskByMunge(munged_->commands(), peer_, request, SystemClock().Now(), 60s);
  }
  std::string RefusalOf(std::string_view request) {
    const auto answer = Ask(request);
    return answer ? "answered" : answer.error().Line();
  }
  // What the server answers to a line as it is.
  std::string Send(const std::string& line) const { return SendTo(peer_.address, line); }
  static std::string SendTo(const HostPort& address, const std::string& line) {
    const auto fd = ConnectTcp(address, 30s);
    if (!fd) return fd.error().Line();
    const auto answer = LineClient::Of(*fd, "server").Ask(line, 60s, 100 * kMiB);
    return answer ? *answer : answer.error().Line();
  }
  Request Sample() const { return {"controller", "localhost", NewNonce(), SystemClock().Now(), "hello"}; }
  std::string CredentialOf(const Request& request) const {
    return Encode(munged_->commands(), WriteRequest(request), ::geteuid()).value_or("none");
  }

  std::optional<MungeDaemon> munged_;
  MungeServerOptions options_;
  std::atomic<std::int64_t> steady_ms_{1'000'000};
  MungePeer peer_;
  std::unique_ptr<MungeServer> server_;
};

TEST_F(MungeServerTest, TellsWhoAsksAndTheAnswerComesBack) {
  Start();
  const std::string me = std::to_string(::geteuid());
  EXPECT_EQ(Ask("hello"), me + " asks hello");
  EXPECT_EQ(Ask("one\nand two"), me + " asks one\nand two") << "a text of any bytes";
  EXPECT_EQ(Ask("0"), "");
  peer_.address.host = "LOCALHOST";
  EXPECT_EQ(Ask("hello"), me + " asks hello") << "names of hosts have no case";
}

TEST_F(MungeServerTest, AnAnswerOfManyMegabytesComesWhole) {
  Start();
  const auto answer = Ask(std::to_string(5 * kMiB + 17));
  ASSERT_TRUE(answer) << answer.error().Line();
  ASSERT_EQ(answer->size(), 5 * kMiB + 17);
  for (std::size_t i = 0; i < answer->size(); i += 997) ASSERT_EQ((*answer)[i], static_cast<char>('a' + i % 26)) << i;
}

TEST_F(MungeServerTest, ACredentialIsTakenOnceEvenWhenMungedForgets) {
  Start();
  const std::string credential = CredentialOf(Sample());
  EXPECT_THAT(Send(credential), StartsWith("MUNGE:"));
  EXPECT_THAT(Send(credential), HasSubstr("the credential was decoded before"));
  munged_->Restart();
  ASSERT_TRUE(munged_->is_running());
  EXPECT_EQ(Send(credential), "refused: request: was taken before; a new request");
  server_.reset();
  munged_->Restart();
  options_.now = [] { return SystemClock().Now() + Duration(1); };  // as when it begins in the next second
  Start();
  EXPECT_THAT(Send(credential), HasSubstr("was made before this server began"));
}

TEST_F(MungeServerTest, ARequestForAnotherServerOrTimeIsRefused) {
  Start();
  Request request = Sample();
  request.service = "agent";
  EXPECT_THAT(Send(CredentialOf(request)), HasSubstr("is for the service 'agent'; this one is 'controller'"));
  request = Sample();
  request.target = "ctl2";
  EXPECT_THAT(Send(CredentialOf(request)), HasSubstr("is for the host 'ctl2'; this one is localhost"));
  request = Sample();
  request.made -= Duration(100);
  EXPECT_THAT(Send(CredentialOf(request)), AnyOf(HasSubstr("100 s ago"), HasSubstr("101 s ago")));
  request = Sample();
  request.made += Duration(100);
  EXPECT_THAT(Send(CredentialOf(request)), HasSubstr("in the future"));
  const auto part = Encode(munged_->commands(), WritePart({NewNonce(), 1, 1, "hello"}), ::geteuid());
  EXPECT_THAT(Send(*part), HasSubstr("is 'heliostat answer 1'")) << "an answer is no request";
  EXPECT_THAT(Send(*Encode(munged_->commands(), "hello", ::geteuid())), StartsWith("refused: payload: "));
}

TEST_F(MungeServerTest, ACredentialOfAnotherRealmOrForAnotherUserIsRefused) {
  Start();
  const MungeDaemon other('o');
  const auto foreign = Encode(other.commands(), WriteRequest(Sample()), ::geteuid());
  EXPECT_THAT(Send(*foreign), StartsWith("refused: unmunge: Invalid credential; a new credential of this cluster"));
  peer_.uid = ::geteuid() + 1;
  EXPECT_THAT(RefusalOf("hello"), HasSubstr("Unauthorized credential"));
}

TEST_F(MungeServerTest, WhatIsNoCredentialIsRefusedWithoutAProcess) {
  options_.commands.unmunge = "absent";
  Start();
  for (const std::string line : {"", "hello", "MUNGE:", "MUNGE::", "MUNGE:a b:", "MUNGE:$(id):", "MUNGE:abc"}) {
    EXPECT_EQ(Send(line), "refused: request: is no credential; what `munge` writes, on one line") << line;
  }
  EXPECT_THAT(Send(std::string(10 * kMiB, 'x')), HasSubstr("is too long"));
  EXPECT_THAT(Send("MUNGE:abc:"), HasSubstr("absent")) << "this one is decoded";
}

TEST_F(MungeServerTest, WithoutMungedItSaysSoAndGoesOnAfterwards) {
  options_.commands.time = 100ms;
  Start();
  const std::string credential = CredentialOf(Sample());
  munged_->Freeze();
  EXPECT_THAT(Send(credential), StartsWith("later: unmunge: does not end within 100 ms"));
  munged_->Thaw();
  munged_->Kill();
  EXPECT_THAT(Send(credential), StartsWith("later: unmunge: "));
  EXPECT_EQ(Ask("hello").error().code, ErrorCode::kUnavailable);
  munged_->Restart();
  server_.reset();
  options_.commands.time = 30s;
  Start();
  EXPECT_TRUE(Ask("hello"));
}

TEST_F(MungeServerTest, WhileMungedHangsTheQueueIsBoundedAndWaitsAreShort) {
  const io::Scratch scratch;
  options_.commands.unmunge = Script(scratch, "unmunge", "touch $0.begun; while [ ! -e $0.go ]; do sleep 0.01; done");
  options_.workers = 1;
  options_.most_waiting = 1;
  Start();
  const auto send = [&] { return Send("MUNGE:abc:"); };
  auto first = std::async(std::launch::async, send);
  while (!std::filesystem::exists(options_.commands.unmunge + ".begun")) std::this_thread::sleep_for(1ms);
  auto second = std::async(std::launch::async, send);
  auto third = std::async(std::launch::async, send);
  // One of the two waits for the worker, and there is no room for the other.
  while (second.wait_for(1ms) != std::future_status::ready && third.wait_for(1ms) != std::future_status::ready) {
  }
  steady_ms_ += 5001;
  std::ofstream(options_.commands.unmunge + ".go") << "";
  EXPECT_THAT(first.get(), HasSubstr("its output cannot be read"));
  EXPECT_THAT(second.get(), StartsWith("later: server: is busy"));
  EXPECT_THAT(third.get(), StartsWith("later: server: is busy"));
}

TEST_F(MungeServerTest, AFloodFromOneAddressIsRefused) {
  options_.rate = {1.0, 3.0};
  options_.max_connections = 8;
  Start();
  for (int i = 0; i < 3; ++i) EXPECT_THAT(Send("junk"), StartsWith("refused: request: is no credential"));
  EXPECT_EQ(Send("junk"), "later: server: too many requests from 127.0.0.1; 1 a second from one address");
  EXPECT_EQ(Ask("hello").error().code, ErrorCode::kUnavailable);
  steady_ms_ += 3000;
  EXPECT_TRUE(Ask("hello"));
  const auto one = ConnectTcp(peer_.address, 30s);
  const auto two = ConnectTcp(peer_.address, 30s);
  EXPECT_THAT(Send("junk"), HasSubstr("2 connections are open, 2 of address 127.0.0.1"));
  // Slow ones are closed.
  (void)::send(*one, "MUNGE:", 6, MSG_NOSIGNAL);
  steady_ms_ += 31'000;
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (!Ask("hello")) ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  for (const auto& fd : {one, two}) ::close(*fd);
}

// A server that answers each line with the same one.
class FalseServer {
 public:
  explicit FalseServer(std::string line)
      : server_(
            Listen(), [line](const auto&, std::string_view) { return line; }, Options()),
        thread_([this] { server_.Run(); }) {}
  ~FalseServer() {
    server_.Stop();
    thread_.join();
  }
  HostPort address() const { return {"localhost", port_}; }

 private:
  static local_socket::LineServerOptions Options() {
    local_socket::LineServerOptions options;
    options.identify = TcpPeer;
    return options;
  }
  local_socket::Listener Listen() {
    auto listener = *ListenTcp({"127.0.0.1", 0});
    port_ = PortOf(listener);
    return listener;
  }
  std::uint16_t port_ = 0;
  local_socket::LineServer server_;
  std::thread thread_;
};

TEST_F(MungeServerTest, AnAnswerThatItsUserDidNotMakeForThisRequestIsRefused) {
  const std::string nonce = NewNonce();
  const auto sealed = [&](const AnswerPart& part) {
    return *Encode(munged_->commands(), WritePart(part), ::geteuid());
  };
  const auto refusal = [&](const std::string& line, uid_t uid) {
    const FalseServer server(line);
    peer_ = {server.address(), "controller", uid};
    return RefusalOf("hello");
  };
  EXPECT_THAT(refusal(sealed({nonce, 1, 1, "hello"}), ::geteuid() + 1), HasSubstr("answers; the answer must be of"));
  EXPECT_THAT(refusal(sealed({nonce, 1, 1, "hello"}), ::geteuid()), HasSubstr("answers another request"));
  EXPECT_THAT(refusal("hello", ::geteuid()), HasSubstr("answers 'hello'; a credential of MUNGE"));
  EXPECT_THAT(refusal("MUNGE:abc:", ::geteuid()), HasSubstr("unmunge: "));
  EXPECT_THAT(refusal("refused: \x1b[2Jx", ::geteuid()), HasSubstr("refuses: \\x1b[2Jx"));
  EXPECT_THAT(refusal("", ::geteuid()), HasSubstr("answers ''"));
}

TEST_F(MungeServerTest, AnAnswerWithPartsMissingIsRefused) {
  Start();
  const auto cut = [&](int from) {
    // A server between, which drops one part of three.
    auto listener = *ListenTcp({"127.0.0.1", 0});
    const HostPort real = std::exchange(peer_.address, {"localhost", PortOf(listener)});
    local_socket::LineServerOptions options;
    options.identify = TcpPeer;
    local_socket::LineServer between(
        std::move(listener),
        [&](const auto&, std::string_view line) {
          std::string answer = SendTo(real, std::string(line));
          std::size_t begin = 0;
          for (int i = 0; i < from; ++i) begin = answer.find(' ', begin) + 1;
          return answer.erase(begin == 0 ? 0 : begin - 1, answer.find(' ', begin) - begin + 1);
        },
        options);
    std::thread thread([&] { between.Run(); });
    const auto answer = AskByMunge(munged_->commands(), peer_, std::to_string(kMiB), SystemClock().Now(), 60s);
    peer_.address = real;
    between.Stop();
    thread.join();
    return answer ? "answered" : answer.error().Line();
  };
  EXPECT_THAT(cut(0), HasSubstr("lacks part 1"));
  EXPECT_THAT(cut(1), HasSubstr("lacks part 2"));
  EXPECT_THAT(cut(2), HasSubstr("lacks part"));
}

TEST_F(MungeServerTest, ARequestThatIsTooLongIsNotSent) {
  Start();
  EXPECT_THAT(RefusalOf(std::string(kMostRequestBytes + 1, 'x')), HasSubstr("request: has 32769 bytes"));
  std::string longest(kMostRequestBytes, 'x');
  for (std::size_t i = 0; i < longest.size(); ++i) longest[i] = static_cast<char>((i * i * 2654435761U) >> 13U);
  longest[0] = '?';
  EXPECT_TRUE(Ask(longest));
}

TEST(RefusalTest, ItIsReadAsItWasWritten) {
  const Error later = RefusalIn(RefusalLine({ErrorCode::kUnavailable, "a", "b", "c"}), "ctl1:6842");
  EXPECT_EQ(later.code, ErrorCode::kUnavailable);
  EXPECT_EQ(later.Line(), "ctl1:6842: refuses: a: b; c");
  EXPECT_EQ(RefusalIn(RefusalLine({ErrorCode::kCorrupt, "a", "b", ""}), "x").code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(RefusalIn("junk", "x").code, ErrorCode::kCorrupt);
}

TEST(NamesTest, ThisHostHasOne) { EXPECT_FALSE(NamesOfThisHost().empty()); }

}  // namespace
}  // namespace heliostat::munge_channel
