#include "heliostat/node/gpu_access/agent_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "heliostat/node/agent/client_connection.h"
#include "heliostat/node/agent/testing/small_agent.h"
#include "heliostat/node/gpu_access/testing/two_cards.h"
#include "heliostat/node/local_socket/listen.h"

namespace heliostat::gpu_access {
namespace {

using device::Setting;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uid_t kAda = 1001;
constexpr uid_t kBob = 1002;

agent::Config Policy() {
  agent::Allowance allowance;
  allowance.uids = {kAda, kBob};
  allowance.gpus = {"*"};
  allowance.knobs = {device::Knob::kPowerLimit, device::Knob::kCoreClock};
  allowance.power_limit_w = agent::Bounds{250, 650};
  agent::Config config;
  config.allowances.push_back(allowance);
  return config;
}

SettingWish Limit(double watts) { return {Setting::PowerLimit(Watts{watts}), seconds(3600), std::nullopt, "night"}; }

class AgentControlTest : public ::testing::Test {
 protected:
  AgentControl As(uid_t uid) {
    agent_.Believe(uid);
    auto client = agent::Client::Connect(agent_.path());
    EXPECT_TRUE(client);
    // After the answer, the agent has identified the client.
    EXPECT_TRUE(client->Ask(agent::AskStatus{}));
    return AgentControl(*std::move(client));
  }
  int LimitOf(std::size_t index) { return agent_.small.cards[index]->limit_w(); }

  agent::SmallAgent agent_{Policy(), kAda};
  // The agent's cards by their names: what the client's own driver shows of them.
  device_model::SimulatedGpu first_{*device_model::FindCardModel("H200"), 0};
  device_model::SimulatedGpu second_{*device_model::FindCardModel("H200"), 1};
};

TEST_F(AgentControlTest, AGrantIsTheAgentsOwn) {
  agent_.small.machine.Start(77);
  AgentControl ada = As(kAda);
  SettingWish wish = Limit(300);
  wish.pid = 77;
  const auto grant = ada.Take(second_, wish);
  ASSERT_TRUE(grant) << grant.error().Line();
  EXPECT_EQ(grant->lease.gpu, second_.identity().uuid);
  EXPECT_EQ(grant->lease.uid, kAda);
  EXPECT_EQ(grant->lease.pid, 77);
  EXPECT_EQ(grant->lease.job, "night");
  EXPECT_EQ(grant->lease.left, seconds(3600));
  EXPECT_EQ(grant->lease.previous, Setting::PowerLimit(Watts{700}));
  EXPECT_EQ(grant->applied, (device::Applied{wish.setting, wish.setting, device::SetOutcome::kAsAsked}));
  EXPECT_EQ(LimitOf(1), 300);
  EXPECT_EQ(*ada.Leases(false), std::vector{grant->lease});
  ASSERT_TRUE(ada.Release(second_, grant->lease.id));
  EXPECT_EQ(LimitOf(1), 700);
}

TEST_F(AgentControlTest, ALeaseOfThisProcessHasTheNumberThatTheKernelReports) {
  agent_.small.machine.Start(::getpid());
  AgentControl ada = As(kAda);
  SettingWish wish = Limit(300);
  wish.pid = kThisProcess;
  const auto grant = ada.Take(first_, wish);
  ASSERT_TRUE(grant) << grant.error().Line();
  EXPECT_EQ(grant->lease.pid, ::getpid());
}

TEST_F(AgentControlTest, ClocksGoByTheirBounds) {
  AgentControl root = As(0);
  const Setting clocks = Setting::Clock(device::Knob::kCoreClock, Megahertz(600), Megahertz(1200));
  const auto grant = root.Take(first_, {clocks, seconds(60), std::nullopt, ""});
  ASSERT_TRUE(grant) << grant.error().Line();
  EXPECT_EQ(grant->lease.wanted, clocks);
  EXPECT_EQ(grant->applied.outcome, device::SetOutcome::kUnverified);
}

TEST_F(AgentControlTest, RefusalsAreTheAgents) {
  AgentControl ada = As(kAda);
  EXPECT_EQ(ada.Take(first_, Limit(200)).error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(ada.Release(first_, "none-1").error().code, ErrorCode::kNotFound);
  device_model::SimulatedGpu absent(*device_model::FindCardModel("A40"), 9);
  EXPECT_EQ(ada.Take(absent, Limit(300)).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(LimitOf(0), 700);
}

TEST_F(AgentControlTest, UsersSeeTheirOwnOrAllAndEndOnlyTheirOwn) {
  AgentControl ada = As(kAda);
  AgentControl bob = As(kBob);
  ASSERT_TRUE(ada.Take(first_, Limit(300)));
  ASSERT_TRUE(bob.Take(first_, Limit(400)));
  ASSERT_TRUE(bob.Take(second_, Limit(500)));
  EXPECT_THAT(*ada.Leases(false), SizeIs(1));
  EXPECT_THAT(*ada.Leases(true), SizeIs(3));
  EXPECT_EQ(*ada.Reset(first_), 1);
  EXPECT_EQ(LimitOf(0), 400);
  EXPECT_EQ(*bob.Reset(first_), 1);
  EXPECT_EQ(LimitOf(0), 700);
  EXPECT_EQ(LimitOf(1), 500);
}

TEST_F(AgentControlTest, AnAgentThatIsGoneIsAnErrorAndNotAnEmptyList) {
  AgentControl ada = As(kAda);
  EXPECT_THAT(*ada.Leases(true), IsEmpty());
  agent_.End();
  EXPECT_FALSE(ada.Leases(true));
  EXPECT_EQ(ada.Take(first_, Limit(300)).error().code, ErrorCode::kUnavailable);
}

TEST(ManyLeasesTest, AreListedInPagesWhenOneAnswerCannotHoldThem) {
  agent::SmallAgent agent(Policy(), kAda, nullptr, 2000);
  AgentControl root(*agent::Client::Connect(agent.path()));
  device_model::SimulatedGpu gpu(*device_model::FindCardModel("H200"), 0);
  constexpr std::size_t kLeases = 25;
  for (std::size_t i = 0; i < kLeases; ++i) ASSERT_TRUE(root.Take(gpu, Limit(300)));
  const auto leases = root.Leases(true);
  ASSERT_TRUE(leases) << leases.error().Line();
  EXPECT_THAT(*leases, SizeIs(kLeases));
}

// Answers each request with the next of these lines, over one connection.
class ScriptedAgent {
 public:
  explicit ScriptedAgent(std::vector<std::string> answers)
      : listener_(*local_socket::Listener::Open(path(), [](const std::string&) { return std::nullopt; })) {
    thread_ = std::thread([this, answers = std::move(answers)] {
      pollfd ready{listener_.fd(), POLLIN, 0};
      ::poll(&ready, 1, -1);
      agent::ClientConnection connection(::accept(listener_.fd(), nullptr, nullptr), {});
      for (const std::string& answer : answers) {
        pollfd asked{connection.fd(), POLLIN, 0};
        ::poll(&asked, 1, 30'000);
        if (!connection.Receive() || !connection.NextLine()) return;
        ++asked_;
        connection.Send(answer);
      }
    });
  }
  ~ScriptedAgent() { thread_.join(); }
  ScriptedAgent(const ScriptedAgent&) = delete;
  ScriptedAgent& operator=(const ScriptedAgent&) = delete;

  std::string path() const { return folder_ / "agent.sock"; }
  int asked() const { return asked_; }

 private:
  const agent::ScratchFolder folder_;
  local_socket::Listener listener_;
  std::atomic<int> asked_{0};
  std::thread thread_;
};

TEST(StartingAgentTest, IsWaitedForAndNotTakenForOneWithoutLeases) {
  const std::string starting = agent::ErrorAnswer(agent::StartingError());
  const ScriptedAgent scripted({starting, starting, R"({"ok":true,"released":["a-1"]})"});
  AgentControl control(*agent::Client::Connect(scripted.path()), seconds(30));
  device_model::SimulatedGpu gpu(*device_model::FindCardModel("H200"), 0);
  EXPECT_TRUE(control.Release(gpu, "a-1"));
  EXPECT_EQ(scripted.asked(), 3);
}

TEST(StartingAgentTest, IsAnErrorWhenItStartsForTooLong) {
  const ScriptedAgent scripted({agent::ErrorAnswer(agent::StartingError())});
  AgentControl control(*agent::Client::Connect(scripted.path()), seconds(0));
  const auto leases = control.Leases(true);
  ASSERT_FALSE(leases);
  EXPECT_EQ(leases.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace heliostat::gpu_access
