#include "heliostat/node/agent/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "heliostat/node/agent/client.h"
#include "heliostat/node/agent/testing/small_agent.h"

namespace heliostat::agent {
namespace {

using namespace std::chrono_literals;
using io::Json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr uid_t kAda = 1001;
constexpr uid_t kBob = 1002;

Config TestConfig() {
  Config config;
  Allowance allowance;
  allowance.uids = {kAda, kBob};
  allowance.gpus = {"*"};
  allowance.knobs = {device::Knob::kPowerLimit};
  allowance.power_limit_w = Bounds{250, 650};
  config.allowances.push_back(allowance);
  return config;
}

class ServerTest : public ::testing::Test {
 protected:
  void Start(const Config& config = TestConfig(), const lease::Machine* machine = nullptr) {
    agent_ = std::make_unique<SmallAgent>(config, kAda, machine);
    small_ = &agent_->small;
  }

  // A connection of this user.
  Client As(uid_t uid) {
    agent_->Believe(uid);
    auto client = Client::Connect(agent_->path());
    EXPECT_TRUE(client);
    // After the answer, the agent has identified the client.
    EXPECT_TRUE(Ask(*client, R"({"do":"status"})"));
    return *std::move(client);
  }
  static Result<Json> Ask(Client& client, const std::string& question) {
    return client.Ask(*Json::Parse(question, "question"), 30s);
  }
  static std::string Set(Client& client, int watts, int gpu = 0) {
    const auto answer =
        Ask(client, fmt::format(R"({{"do":"set","gpu":{},"power_limit_w":{},"ttl_s":3600}})", gpu, watts));
    EXPECT_TRUE(answer) << answer.error().Line();
    return answer ? (*answer).Find("lease")->Find("id")->Text().value() : "";
  }
  static Result<Json> Release(Client& client, const std::string& id) {
    return Ask(client, fmt::format(R"({{"do":"release","lease":"{}"}})", id));
  }
  static std::size_t Leases(Client& client) {
    const auto answer = Ask(client, R"({"do":"leases","all":true})");
    return answer ? (*(*answer).Find("leases")->Elements())->size() : 999;
  }
  // Asks until the number is reached: other threads have to work meanwhile.
  bool AwaitLeases(Client& client, std::size_t count) {
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (Leases(client) != count) {
      small_->seconds += 1;  // rates go by the agent's time
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
  }
  int RawConnection(uid_t uid) {
    agent_->Believe(uid);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = agent_->path();
    std::copy(name.begin(), name.end(), address.sun_path);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    return fd;
  }
  static void Send(int fd, const std::string& bytes) {
    ASSERT_EQ(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  // All that comes until the agent closes the connection.
  static std::string ReadAll(int fd) {
    std::string all;
    std::array<char, 4096> room{};
    for (ssize_t got = 0; (got = ::recv(fd, room.data(), room.size(), 0)) > 0;) {
      all.append(room.data(), static_cast<std::size_t>(got));
    }
    return all;
  }

  const std::unique_ptr<lease::Machine> this_machine_ = lease::ThisMachine();
  std::unique_ptr<SmallAgent> agent_;
  SmallWorkers* small_ = nullptr;  // the agent's
};

TEST_F(ServerTest, TellsHowThingsAre) {
  Start();
  Client ada = As(kAda);
  const auto status = Ask(ada, R"({"do":"status"})");
  ASSERT_TRUE(status);
  EXPECT_EQ((*status).Find("gpus")->Integer().value(), 2);
  EXPECT_EQ((*status).Find("pid")->Integer().value(), ::getpid());
  const auto list = Ask(ada, R"({"do":"list"})");
  ASSERT_TRUE(list);
  const auto& gpus = **(*list).Find("gpus")->Elements();
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[1].Find("identity")->Find("index")->Integer().value(), 1);
  EXPECT_TRUE(gpus[1].Find("reading")->Find("power_w")->Number());
  EXPECT_TRUE(gpus[1].Find("age_s")->Number());
  const auto show = Ask(ada, R"({"do":"show","gpu":1})");
  ASSERT_TRUE(show);
  EXPECT_TRUE((*show).Find("gpu")->Find("leases")->is_array());
  EXPECT_EQ(Ask(ada, R"({"do":"show","gpu":5})").error().code, ErrorCode::kNotFound);
  EXPECT_THAT((**(*Ask(ada, R"({"do":"rights"})")).Find("allowed")->Elements()), SizeIs(1));
}

TEST_F(ServerTest, TheLowerLimitWinsAndEachReleaseLeavesTheRest) {
  Start();
  Client ada = As(kAda);
  Client bob = As(kBob);
  const std::string higher = Set(ada, 400);
  EXPECT_EQ(small_->cards[0]->limit_w(), 400);
  const std::string lower = Set(bob, 300);
  EXPECT_EQ(small_->cards[0]->limit_w(), 300);
  EXPECT_EQ(Leases(ada), 2U);
  EXPECT_THAT((**(*Ask(ada, R"({"do":"leases"})")).Find("leases")->Elements()), SizeIs(1));
  ASSERT_TRUE(Release(bob, lower));
  EXPECT_EQ(small_->cards[0]->limit_w(), 400);
  ASSERT_TRUE(Release(ada, higher));
  EXPECT_EQ(small_->cards[0]->limit_w(), 700);
  EXPECT_EQ(Leases(ada), 0U);
}

TEST_F(ServerTest, NobodyTouchesAnothersLeaseButRoot) {
  Start();
  Client ada = As(kAda);
  Client bob = As(kBob);
  Client root = As(0);
  const std::string id = Set(ada, 400);
  EXPECT_EQ(Release(bob, id).error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(Ask(bob, fmt::format(R"({{"do":"renew","lease":"{}","ttl_s":9}})", id)).error().code,
            ErrorCode::kPermissionDenied);
  ASSERT_TRUE(Ask(bob, R"({"do":"reset"})"));
  EXPECT_EQ(Leases(bob), 1U);
  const auto reset = Ask(root, R"({"do":"reset"})");
  ASSERT_TRUE(reset);
  EXPECT_THAT((*reset).Line(), HasSubstr(id));
  EXPECT_EQ(Leases(bob), 0U);
  EXPECT_EQ(small_->cards[0]->limit_w(), 700);
}

TEST_F(ServerTest, RightsAndRangesHold) {
  Start();
  Client ada = As(kAda);
  Client unlisted = As(4000);
  const std::string low = R"({"do":"set","gpu":0,"power_limit_w":249,"ttl_s":60})";
  EXPECT_EQ(Ask(ada, low).error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(Ask(ada, R"({"do":"set","gpu":0,"core_clock_mhz":900,"ttl_s":60})").error().code,
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(Ask(unlisted, R"({"do":"set","gpu":0,"power_limit_w":300,"ttl_s":60})").error().code,
            ErrorCode::kPermissionDenied);
  Client root = As(0);
  EXPECT_EQ(Ask(root, R"({"do":"set","gpu":0,"power_limit_w":5000,"ttl_s":60})").error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(small_->cards[0]->limit_w(), 700);
}

TEST_F(ServerTest, ALeaseMayFollowTheCallersOwnProcessOnly) {
  Start();
  small_->machine.Start(77);
  const std::string set = R"({"do":"set","gpu":0,"power_limit_w":300,"ttl_s":60,"pid":77})";
  Client bob = As(kBob);
  EXPECT_EQ(Ask(bob, set).error().code, ErrorCode::kPermissionDenied);
  Client ada = As(kAda);
  EXPECT_TRUE(Ask(ada, set));
}

TEST_F(ServerTest, PidZeroIsTheProcessThatOpenedTheConnection) {
  Start();
  small_->machine.Start(::getpid());
  Client ada = As(kAda);
  const auto set = Ask(ada, R"({"do":"set","gpu":0,"power_limit_w":300,"ttl_s":60,"pid":0})");
  ASSERT_TRUE(set) << set.error().Line();
  EXPECT_EQ((*set).Find("lease")->Find("owner")->Find("pid")->Integer().value(), ::getpid());
}

TEST_F(ServerTest, RenewingCountsFromNow) {
  Start();
  Client ada = As(kAda);
  const std::string id = Set(ada, 400);
  const auto renewed = Ask(ada, fmt::format(R"({{"do":"renew","lease":"{}","ttl_s":7200}})", id));
  ASSERT_TRUE(renewed) << renewed.error().Line();
  EXPECT_EQ((*renewed).Find("lease")->Find("expires_in_s")->Integer().value(), 7200);
  EXPECT_EQ(Ask(ada, R"({"do":"renew","lease":"none-1","ttl_s":1})").error().code, ErrorCode::kNotFound);
}

TEST_F(ServerTest, AConnectionLostBeforeTheAnswerLeavesNoLease) {
  Start();
  small_->cards[0]->Hang();
  const int lost = RawConnection(kAda);
  Send(lost, "{\"do\":\"set\",\"gpu\":0,\"power_limit_w\":300,\"ttl_s\":3600}\n");
  small_->cards[0]->AwaitHanging();
  ::close(lost);
  Client bob = As(kBob);
  // The other card is served meanwhile.
  const std::string id = Set(bob, 350, 1);
  EXPECT_TRUE(Release(bob, id));
  small_->cards[0]->Answer();
  EXPECT_TRUE(AwaitLeases(bob, 0));
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (small_->cards[0]->limit_w() != 700 && std::chrono::steady_clock::now() < deadline) (void)Leases(bob);
  EXPECT_EQ(small_->cards[0]->limit_w(), 700);
}

TEST_F(ServerTest, AnswersComeInOrderAndAfterTheOtherSideStoppedWriting) {
  Start();
  const int fd = RawConnection(kAda);
  Send(fd,
       "{\"do\":\"set\",\"gpu\":0,\"power_limit_w\":300,\"ttl_s\":3600}\n{\"do\":\"leases\"}\nnonsense\n"
       "{\"do\":\"reset\",\"gpu\":0}\n{\"do\":\"leases\"}");
  ::shutdown(fd, SHUT_WR);
  std::istringstream answers(ReadAll(fd));
  ::close(fd);
  std::vector<std::string> lines;
  for (std::string line; std::getline(answers, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_THAT(lines[0], HasSubstr("as-asked"));
  EXPECT_THAT(lines[1], HasSubstr("in-force"));
  EXPECT_THAT(lines[2], HasSubstr("not valid JSON"));
  EXPECT_THAT(lines[3], HasSubstr("\"released\":[\""));
  EXPECT_EQ(lines[4], R"({"ok":true,"leases":[]})");
}

TEST_F(ServerTest, WhoDoesNotReadIsDropped) {
  Start();
  const int fd = RawConnection(0);
  std::string many;
  for (int i = 0; i < 100; ++i) many += "{\"do\":\"list\"}\n";
  int sent = 0;
  while (sent < 10'000 && ::send(fd, many.data(), many.size(), MSG_NOSIGNAL) > 0) ++sent;
  EXPECT_LT(sent, 10'000);
  ::close(fd);
  Client ada = As(kAda);
  EXPECT_TRUE(Ask(ada, R"({"do":"list"})"));
}

TEST_F(ServerTest, TooManyRequestsAreRefusedAndOthersServed) {
  Config config = TestConfig();
  config.writes = {1.0, 2.0};
  Start(config);
  Client ada = As(kAda);
  const std::string nothing = R"({"do":"reset"})";
  EXPECT_TRUE(Ask(ada, nothing));
  EXPECT_TRUE(Ask(ada, nothing));
  const auto refused = Ask(ada, nothing);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().Line(), HasSubstr("1 per second are allowed, 2 at once"));
  EXPECT_TRUE(Ask(ada, R"({"do":"list"})"));
  Client bob = As(kBob);
  EXPECT_TRUE(Ask(bob, nothing));
  small_->seconds += 1;
  EXPECT_TRUE(Ask(ada, nothing));
}

TEST_F(ServerTest, ConnectionsAreBoundedAndOneUserCannotHaveThemAll) {
  Config config = TestConfig();
  config.max_connections = 8;
  Start(config);
  Client first = As(kAda);
  Client second = As(kAda);
  const int third = RawConnection(kAda);
  EXPECT_THAT(ReadAll(third), AllOf(HasSubstr("unavailable"), HasSubstr("2 of one user")));
  ::close(third);
  Client bob = As(kBob);
  EXPECT_TRUE(Ask(bob, R"({"do":"list"})"));
}

TEST_F(ServerTest, RootGetsAConnectionWhenTheOthersHaveTakenTheirs) {
  Config config = TestConfig();
  config.max_connections = 8;
  Start(config);
  std::vector<int> taken;
  for (uid_t uid = kAda; uid < kAda + 4; ++uid) {
    for (int i = 0; i < 2; ++i) {
      taken.push_back(RawConnection(uid));
      Send(taken.back(), "{\"do\":\"status\"}\n");
      char byte = 0;
      ASSERT_EQ(::recv(taken.back(), &byte, 1, 0), 1) << "until it is answered, the agent may not know its user";
    }
  }
  Client root = As(0);
  EXPECT_TRUE(Ask(root, R"({"do":"reset"})"));
  for (const int fd : taken) ::close(fd);
}

TEST_F(ServerTest, AConnectionWithoutRequestsIsClosedAndItsLeaseStays) {
  Start();
  Client busy = As(kBob);
  const int idle = RawConnection(kAda);
  Send(idle, "{\"do\":\"set\",\"gpu\":0,\"power_limit_w\":300,\"ttl_s\":3600}\n");
  ASSERT_TRUE(AwaitLeases(busy, 1));
  for (int i = 0; i < 3; ++i) {
    small_->seconds += 31;
    EXPECT_EQ(Leases(busy), 1U);
  }
  Send(idle, "{\"do\":");
  EXPECT_THAT(ReadAll(idle), HasSubstr("as-asked")) << "read until the agent closes the connection";
  ::close(idle);
  EXPECT_EQ(Leases(busy), 1U);
}

TEST_F(ServerTest, AFloodOfConnectionsWritesFewLines) {
  Start();
  agent_->Believe(kAda);
  constexpr int kMany = 2000;
  for (int i = 0; i < kMany; ++i) {
    const int fd = RawConnection(kAda);
    Send(fd, i % 2 == 0 ? "{\"do\":\"status\"}\n" : "nonsense\n");
    ::shutdown(fd, SHUT_WR);
    ReadAll(fd);
    ::close(fd);
    small_->seconds += 1;  // rates go by the agent's time
  }
  agent_->End();
  const std::string log = small_->folder.Read("audit.log");
  // One line of counts for each minute that the test takes.
  EXPECT_LE(std::count(log.begin(), log.end(), '\n'), AuditTally::kMostLines + 10);
  EXPECT_THAT(log, HasSubstr(R"("reads":)"));
}

TEST_F(ServerTest, EveryRequestIsInTheAuditLog) {
  Start();
  {
    Client ada = As(kAda);
    const std::string id = Set(ada, 400);
    EXPECT_FALSE(Ask(ada, R"({"do":"set","gpu":0,"power_limit_w":100,"ttl_s":60})"));
    EXPECT_TRUE(Release(ada, id));
    EXPECT_TRUE(Ask(ada, R"({"do":"reset","gpu":1})"));
  }
  agent_->End();
  const std::string log = small_->folder.Read("audit.log");
  EXPECT_THAT(log, HasSubstr(R"("power_limit_w":400,"ttl_s":3600},"outcome":"allowed"})"));
  EXPECT_THAT(log, HasSubstr(R"("outcome":"granted )"));
  EXPECT_THAT(log, HasSubstr(R"("power_limit_w":100,"ttl_s":60},"outcome":"refused: )"));
  EXPECT_THAT(log, HasSubstr(R"({"do":"release")"));
  EXPECT_THAT(log, HasSubstr(R"({"do":"reset","gpu":1},"outcome":"released"})"));
  EXPECT_THAT(log, HasSubstr(R"("request":{"connections":1,"reads":1,"limited":0,"unlisted":0},"outcome":"counted"})"));
}

TEST_F(ServerTest, WhatCannotBeAuditedIsNotGivenButCanBeTakenBack) {
  Start();
  Client ada = As(kAda);
  const std::string id = Set(ada, 400);
  // The log's folder goes away, and with it the room to write.
  small_->audit.Flush();
  std::filesystem::remove(small_->folder / "audit.log");
  std::filesystem::create_directories(small_->folder / "audit.log");
  small_->audit.Reopen();
  const auto refused = Ask(ada, R"({"do":"set","gpu":1,"power_limit_w":300,"ttl_s":60})");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().Line(), HasSubstr("cannot be audited"));
  EXPECT_EQ(small_->cards[1]->limit_w(), 700);
  EXPECT_FALSE(Ask(ada, fmt::format(R"({{"do":"renew","lease":"{}","ttl_s":7200}})", id)));
  EXPECT_TRUE(Release(ada, id));
  EXPECT_EQ(small_->cards[0]->limit_w(), 700);
  EXPECT_TRUE(Ask(ada, R"({"do":"reset"})"));
}

TEST_F(ServerTest, ALeaseEndsWithItsProcessLongBeforeTheNextSample) {
  Start(TestConfig(), this_machine_.get());
  pid_t child = 0;
  std::string name = "sleep";
  std::string time = "1000";
  std::array<char*, 3> arguments{name.data(), time.data(), nullptr};
  ASSERT_EQ(::posix_spawnp(&child, "sleep", nullptr, nullptr, arguments.data(), environ), 0);
  Client ada = As(kAda);
  const auto set = Ask(ada, fmt::format(R"({{"do":"set","gpu":0,"power_limit_w":300,"ttl_s":3600,"pid":{}}})", child));
  EXPECT_TRUE(set) << set.error().Line();
  EXPECT_EQ(Leases(ada), 1U);
  ::kill(child, SIGKILL);
  EXPECT_TRUE(AwaitLeases(ada, 0));
  EXPECT_EQ(small_->cards[0]->limit_w(), 700);
  ::waitpid(child, nullptr, 0);
}

TEST(ClientTest, NobodyListens) {
  const ScratchFolder folder;
  const auto client = Client::Connect(folder / "a.sock");
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(Client::Connect(std::string(300, 'x')));
}

TEST(ClientTest, AnAgentThatDoesNotAnswerIsGivenUp) {
  const ScratchFolder folder;
  const auto listener =
      local_socket::Listener::Open(folder / "a.sock", [](const std::string&) { return std::nullopt; });
  ASSERT_TRUE(listener);
  auto client = Client::Connect(folder / "a.sock");
  ASSERT_TRUE(client);
  EXPECT_EQ(client->Ask(Json(), 1ms).error().code, ErrorCode::kUnavailable);
  // And stays closed: a late answer must not be taken for the answer to another request.
  EXPECT_EQ(client->Ask(Json(), 1ms).error().code, ErrorCode::kUnavailable);
}

TEST_F(ServerTest, AClientWhoseIdleConnectionWasClosedConnectsAgain) {
  Start();
  Client ada = As(kAda);
  const int other = RawConnection(kAda);
  Send(other, "{\"do\":\"status\"}\n");
  char byte = 0;
  ASSERT_EQ(::recv(other, &byte, 1, 0), 1) << "until it is answered, it may not be accepted yet";
  small_->seconds += 61;
  ReadAll(other);  // both connections are closed in the same turn
  ::close(other);
  const auto answer = Ask(ada, R"({"do":"leases"})");
  EXPECT_TRUE(answer) << answer.error().Line();
}

TEST(ClientTest, TheSocketIsTheOneThatTheEnvironmentNames) {
  EXPECT_EQ(SocketPath([](const std::string&) { return std::nullopt; }), kDefaultSocket);
  EXPECT_EQ(SocketPath([](const std::string& name) { return std::optional(name + "!"); }), "HELIOSTAT_AGENT!");
}

}  // namespace
}  // namespace heliostat::agent
