#include "heliostat/node/training_run/knob_actuator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "heliostat/node/training_run/testing/scripted.h"

namespace heliostat::training_run {
namespace {

using namespace std::chrono_literals;
using device::Setting;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What two hands' controls have in common: the leases of the machine, and what was done in which order.
struct Machine {
  std::vector<std::string> done;  // "take 0 300 W", "release 0"
  std::map<std::string, device::Gpu*> held;
  std::map<std::string, Setting> settings;
  int next = 0;
  int connections = 0;
  std::optional<Error> failure;               // of every call
  device::Gpu* refusing = nullptr;            // takes nothing
  std::optional<std::chrono::seconds> ttl{};  // of the last wish
  std::optional<pid_t> pid{};
  bool is_away = false;        // nobody to connect to
  std::string name = "agent";  // of the control
};

class FakeControl final : public gpu_access::Control {
 public:
  explicit FakeControl(Machine& machine) : machine_(machine) { ++machine_.connections; }

  std::string_view name() const override { return machine_.name; }
  Result<lease::Grant> Take(device::Gpu& gpu, const gpu_access::SettingWish& wish) override {
    if (machine_.failure) return tl::unexpected(*machine_.failure);
    if (machine_.refusing == &gpu) return Fail(ErrorCode::kPermissionDenied, gpu.identity().uuid, "not yours");
    machine_.done.push_back(fmt::format("take {} {}", gpu.identity().index, wish.setting.Text()));
    machine_.ttl = wish.ttl;
    machine_.pid = wish.pid;
    lease::Grant grant;
    grant.lease.id = std::to_string(machine_.next++);
    machine_.held[grant.lease.id] = &gpu;
    machine_.settings[grant.lease.id] = wish.setting;
    Put(gpu);
    return grant;
  }
  Status Release(device::Gpu& gpu, const std::string& lease) override {
    if (machine_.failure) return tl::unexpected(*machine_.failure);
    if (machine_.held.erase(lease) == 0) return Fail(ErrorCode::kNotFound, lease, "is no lease");
    machine_.done.push_back(fmt::format("release {}", gpu.identity().index));
    machine_.settings.erase(lease);
    Put(gpu);
    return {};
  }
  Result<int> Reset(device::Gpu& /*gpu*/) override { return 0; }
  Result<std::vector<lease::LeaseSummary>> Leases(bool /*all*/) override { return std::vector<lease::LeaseSummary>{}; }

 private:
  // The lowest of its leases, or the default.
  void Put(device::Gpu& gpu) {
    std::optional<Setting> lowest;
    for (const auto& [id, on] : machine_.held) {
      if (on == &gpu && (!lowest || machine_.settings[id].high < lowest->high)) lowest = machine_.settings[id];
    }
    (void)gpu.Apply(lowest.value_or(Setting::Default(Knob::kPowerLimit)));
  }
  Machine& machine_;
};

class LeaseHandTest : public ::testing::Test {
 protected:
  std::unique_ptr<KnobActuator> Make() {
    const auto connect = [this]() -> Result<std::unique_ptr<gpu_access::Control>> {
      if (machine_.is_away) return Fail(ErrorCode::kUnavailable, "agent", "is not there");
      return std::make_unique<FakeControl>(machine_);
    };
    return std::make_unique<LeaseActuator>(connect, std::vector<device::Gpu*>{&first_, &second_}, Knob::kPowerLimit,
                                           "test", program_, clock_);
  }
  static level_control::Level Limit(double watts) { return {Knob::kPowerLimit, watts}; }
  double LimitOf(device::Gpu& gpu) { return gpu.Stands(Knob::kPowerLimit)->limit().value; }

  ManualClock clock_{Instant{}};
  Machine machine_;
  device_model::SimulatedGpu first_{*device_model::FindCardModel("H200"), 0};
  device_model::SimulatedGpu second_{*device_model::FindCardModel("H200"), 1};
  ScriptedProgram program_{clock_, first_};
};

TEST_F(LeaseHandTest, NewLeasesStandBeforeOldOnesGo) {
  const auto actuator = Make();
  ASSERT_TRUE(actuator->Turn(Limit(300), false));
  EXPECT_EQ(machine_.pid, gpu_access::kThisProcess) << "leases end with this process";
  ASSERT_TRUE(actuator->Turn(Limit(400), false));
  EXPECT_THAT(machine_.done,
              ElementsAre("take 0 300 W", "take 1 300 W", "take 0 400 W", "take 1 400 W", "release 0", "release 1"));
  EXPECT_EQ(LimitOf(first_), 400);
  EXPECT_EQ(machine_.held.size(), 2U);
}

TEST_F(LeaseHandTest, TheDefaultIsNoLeaseAtAll) {
  const auto actuator = Make();
  ASSERT_TRUE(actuator->Turn(Limit(300), false));
  ASSERT_TRUE(actuator->Turn(Limit(700), true));
  EXPECT_THAT(machine_.held, IsEmpty());
  EXPECT_EQ(LimitOf(first_), 700);
}

TEST_F(LeaseHandTest, AllCardsAreTurnedOrNone) {
  const auto actuator = Make();
  ASSERT_TRUE(actuator->Turn(Limit(300), false));
  machine_.refusing = &second_;
  EXPECT_EQ(actuator->Turn(Limit(250), false).error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(LimitOf(first_), 300) << "what was taken before the refusal goes back";
  EXPECT_EQ(LimitOf(second_), 300);
  EXPECT_EQ(machine_.held.size(), 2U);
}

TEST_F(LeaseHandTest, AnAgentStartedAnewIsConnectedToOnce) {
  const auto actuator = Make();
  ASSERT_TRUE(actuator->Turn(Limit(400), false));
  EXPECT_EQ(machine_.connections, 1);
  machine_.failure = Error{ErrorCode::kUnavailable, "agent", "closed the connection", ""};
  EXPECT_FALSE(actuator->Turn(Limit(300), false));
  EXPECT_EQ(machine_.connections, 2);
  machine_.failure.reset();
  ASSERT_TRUE(actuator->Turn(Limit(300), false));
  EXPECT_EQ(machine_.connections, 2);
  machine_.failure = Error{ErrorCode::kPermissionDenied, "GPU 0", "not yours", ""};
  EXPECT_FALSE(actuator->Turn(Limit(400), false));
  EXPECT_EQ(machine_.connections, 2) << "a refusal is an answer";
}

TEST_F(LeaseHandTest, LeasesAreRenewedLongBeforeTheyRunOut) {
  const auto actuator = Make();
  ASSERT_TRUE(actuator->Turn(Limit(300), false));
  machine_.done.clear();
  clock_.Advance(7h);
  (void)actuator->Keep(clock_.Steady());
  EXPECT_THAT(machine_.done, IsEmpty());
  clock_.Advance(1h);
  (void)actuator->Keep(clock_.Steady());
  EXPECT_EQ(machine_.done.size(), 4U) << "two taken, two released";
  EXPECT_GT(*machine_.ttl, 2 * 8h);
  machine_.done.clear();
  (void)actuator->Keep(clock_.Steady() + 1min);
  EXPECT_THAT(machine_.done, IsEmpty());
}

TEST_F(LeaseHandTest, AKnobThatAnotherTurnedIsSeen) {
  const auto actuator = Make();
  EXPECT_TRUE(actuator->IsThere());
  ASSERT_TRUE(actuator->Turn(Limit(300), false));
  EXPECT_TRUE(actuator->IsThere());
  second_.SetBehindOurBack(Setting::PowerLimit(Watts{500}));
  EXPECT_FALSE(actuator->IsThere());
  second_.FailReads(Error{ErrorCode::kUnavailable, "GPU 1", "is lost", ""});
  EXPECT_TRUE(actuator->IsThere()) << "a card that does not answer tells nothing";
}

TEST_F(LeaseHandTest, LettingGoLeavesTheCardsWhereTheyStood) {
  ASSERT_TRUE(first_.Apply(Setting::PowerLimit(Watts{700})));
  const auto actuator = Make();
  ASSERT_TRUE(actuator->Turn(Limit(250), false));
  actuator->Release();
  EXPECT_THAT(machine_.held, IsEmpty());
  EXPECT_EQ(LimitOf(first_), 700);
  EXPECT_TRUE(actuator->IsThere());
}

TEST_F(LeaseHandTest, AControlThatComesLaterIsFound) {
  machine_.is_away = true;
  const auto actuator = Make();
  EXPECT_TRUE(actuator->Turn(Limit(700), true)) << "the default needs no lease";
  EXPECT_EQ(actuator->Turn(Limit(300), false).error().code, ErrorCode::kUnavailable);
  machine_.is_away = false;
  ASSERT_TRUE(actuator->Turn(Limit(300), false));
  EXPECT_EQ(LimitOf(first_), 300);
}

TEST_F(LeaseHandTest, WithoutAnAgentAGuardOwesTheCardAsLongAsItIsTurned) {
  for (const bool is_direct : {true, false}) {
    machine_.name = is_direct ? "direct" : "agent";
    const auto actuator = Make();
    EXPECT_FALSE(program_.owes_card());
    ASSERT_TRUE(actuator->Turn(Limit(300), false));
    EXPECT_EQ(program_.owes_card(), is_direct);
    actuator->Release();
    EXPECT_FALSE(program_.owes_card());
  }
}

TEST(PaceHandTest, ThePaceIsTheShareOfTimeUntilItLetsGo) {
  ManualClock clock(Instant{});
  device_model::SimulatedGpu gpu(*device_model::FindCardModel("H200"), 0);
  ScriptedProgram program(clock, gpu);
  PaceActuator actuator(program);
  for (const double duty : {0.3, 0.5, 0.9}) {
    ASSERT_TRUE(actuator.Turn({Knob::kPace, duty}, false));
    EXPECT_EQ(actuator.duty(), duty);
    EXPECT_EQ(program.duty(), duty);
  }
  actuator.Release();
  EXPECT_EQ(actuator.duty(), 1.0);
  EXPECT_EQ(program.duty(), 1.0);
}

TEST(ShadowHandTest, TurnsNothingAndIsAlwaysThere) {
  ManualClock clock(Instant{});
  device_model::SimulatedGpu gpu(*device_model::FindCardModel("H200"), 0);
  ScriptedProgram program(clock, gpu);
  DryActuator actuator;
  EXPECT_TRUE(actuator.Turn({Knob::kPace, 0.1}, false));
  EXPECT_EQ(actuator.duty(), 1.0);
  EXPECT_TRUE(actuator.IsThere());
  EXPECT_GT(actuator.Keep(clock.Steady()), clock.Steady());
  actuator.Release();
  EXPECT_EQ(program.duty(), 1.0);
  EXPECT_EQ(gpu.writes(), 0);
}

}  // namespace
}  // namespace heliostat::training_run
