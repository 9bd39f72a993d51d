#include "fakes/nvml/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "fakes/nvml/physics.h"
#include "fakes/nvml/process.h"
#include "fakes/nvml/testing/scratch_state.h"

namespace heliostat::nvml_double {
namespace {

using device::Knob;
using device::Setting;
using ::testing::DoubleNear;
using ::testing::MatchesRegex;

// Another process that does something and then waits to be killed. It has begun `work` when Child() returns, and has
// done it unless that does not end.
class Child {
 public:
  explicit Child(const std::function<void(const std::function<void()>& ready)>& work) {
    int ends[2];
    Check(::pipe(ends) == 0, "a pipe for the test");
    pid_ = ::fork();
    if (pid_ == 0) {
      work([&ends] { Check(::write(ends[1], "x", 1) == 1, "a pipe for the test"); });
      for (;;) ::pause();
    }
    char byte = 0;
    Check(::read(ends[0], &byte, 1) == 1, "a child that is ready");
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Child() { Kill(); }

  void Kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  void Stop() const {
    ::kill(pid_, SIGSTOP);
    ::waitpid(pid_, nullptr, WUNTRACED);
  }
  void Continue() const {
    ::kill(pid_, SIGCONT);
    ::waitpid(pid_, nullptr, WCONTINUED);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

double Duty(State& state, int gpu) { return FlowOf(state.Look(gpu), state.grace_s()).duty; }

TEST(StateTest, ProcessesShareIt) {
  const ScratchState scratch({"H200", "A40"});
  State ours = scratch.Open();
  Child child([&](const auto& ready) {
    State theirs = scratch.Open();
    theirs.Update(1, [](GpuState& gpu) { gpu.At(Knob::kPowerLimit) = Setting::PowerLimit(Watts{150}); });
    ready();
  });
  EXPECT_EQ(ours.Look(1).At(Knob::kPowerLimit).high, 150'000);
  EXPECT_EQ(ours.Look(0).At(Knob::kPowerLimit).high, 700'000);
}

TEST(StateTest, AProcessKilledWithTheLockInItsHandsDoesNotWedgeIt) {
  const ScratchState scratch({"H200"});
  State ours = scratch.Open();
  for (int round = 0; round < 3; ++round) {
    Child child([&](const auto& ready) {
      State theirs = scratch.Open();
      const State::Hold hold(theirs);
      ready();
      for (;;) ::pause();
    });
    child.Kill();
    ours.Update(0, [](GpuState& gpu) { ++gpu.writes[0]; });
    EXPECT_EQ(ours.Look(0).writes[0], round + 1);
  }
}

// What belongs together is changed together, whenever the process that changes it is killed.
TEST(StateTest, AProcessKilledAtAnyMomentLeavesAWholeState) {
  const ScratchState scratch({"H200"});
  State ours = scratch.Open();
  std::uint64_t last = 0;
  for (int round = 0; round < 50; ++round) {
    Child child([&](const auto& ready) {
      State theirs = scratch.Open();
      ready();
      for (;;) {
        theirs.Update(0, [](GpuState& gpu) {
          ++gpu.writes[0];
          Record(gpu, {});
          ++gpu.writes[1];
        });
      }
    });
    std::this_thread::sleep_for(std::chrono::microseconds(37 * round));
    child.Kill();
    const GpuState found = ours.Look(0);
    ASSERT_EQ(found.writes[0], found.recorded);
    ASSERT_EQ(found.writes[0], found.writes[1]);
    ASSERT_GE(found.recorded, last);
    last = found.recorded;
  }
  EXPECT_GT(last, 0U);
}

TEST(StateTest, ALoadEndsWithItsProcess) {
  const ScratchState scratch({"H200"});
  State state = scratch.Open();
  Child child([](const auto& ready) { ready(); });
  state.Update(0, [&](GpuState& gpu) { Put(gpu, {.model = "resnet50"}, child.pid()); });
  state.Advance(5.0);
  EXPECT_EQ(Duty(state, 0), 1.0);
  EXPECT_GT(state.Look(0).samples, 0.0);
  child.Kill();
  const double samples = state.Look(0).samples;
  EXPECT_EQ(Duty(state, 0), 0.0);
  EXPECT_FALSE(state.Look(0).loads[0].is_used);
  state.Advance(60.0);
  EXPECT_EQ(state.Look(0).samples, samples);
  EXPECT_THAT(state.Look(0).power_w, DoubleNear(state.Look(0).card().idle_w, 1e-3));
}

TEST(StateTest, AnotherProcessWithTheSameNumberIsNotTheSame) {
  const ScratchState scratch({"H200"});
  State state = scratch.Open();
  state.Update(0, [](GpuState& gpu) {
    Put(gpu, {.model = "resnet50"}, ::getpid());
    ++gpu.loads[0].start_ticks;
  });
  EXPECT_FALSE(state.Look(0).loads[0].is_used);
}

TEST(StateTest, AStoppedProcessIsNoLoadUntilItIsHeardOfAgain) {
  const ScratchState scratch({"H200"});
  State state = scratch.Open();
  const Child child([](const auto& ready) { ready(); });
  state.Update(0, [&](GpuState& gpu) { Put(gpu, {.model = "resnet50"}, child.pid()); });
  child.Stop();
  EXPECT_EQ(Duty(state, 0), 0.0);
  state.Advance(10.0);
  EXPECT_EQ(state.Look(0).samples, 0.0);
  child.Continue();
  state.Update(0, [](GpuState& gpu) { gpu.loads[0].beat_s = gpu.at_s; });
  EXPECT_EQ(Duty(state, 0), 1.0);
  state.Advance(10.0);
  EXPECT_GT(state.Look(0).samples, 0.0);
}

TEST(StateTest, ItsClockIsTheMachinesTimesTheScale) {
  const ScratchState scratch(Plan{.gpus = {"A40"}, .time_scale = 1000});
  State state = scratch.Open();
  const double real = RealSeconds();
  const double before = state.Now();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const double passed = state.Now() - before;
  const double real_passed = RealSeconds() - real;
  EXPECT_GE(passed, 4.9);
  EXPECT_LE(passed, 1000 * real_passed);
  EXPECT_GT(state.Look(0).energy_j, 4.9 * 30);
}

TEST(StateTest, AReloadPutsSettingsAndCountersBackAndLeavesLoads) {
  const ScratchState scratch({"H200"});
  State state = scratch.Open();
  state.Update(0, [](GpuState& gpu) {
    gpu.At(Knob::kPowerLimit) = Setting::PowerLimit(Watts{300});
    gpu.At(Knob::kCoreClock) = {Knob::kCoreClock, false, 900, 900};
    gpu.writes[0] = 7;
    Put(gpu, {.model = "resnet50"}, ::getpid());
    Put(gpu, {.model = "bert-base"});
  });
  state.Advance(5.0);
  const std::uint64_t generation = state.generation();
  state.Reload(false);
  const GpuState after = state.Look(0);
  EXPECT_EQ(state.generation(), generation + 1);
  EXPECT_EQ(after.At(Knob::kPowerLimit).high, 700'000);
  EXPECT_TRUE(after.At(Knob::kCoreClock).is_default);
  EXPECT_EQ(after.energy_j, 0.0);
  EXPECT_EQ(after.writes[0], 7U);
  EXPECT_TRUE(after.loads[0].is_used);
  state.Reload(true);
  EXPECT_FALSE(state.Look(0).loads[0].is_used);
  EXPECT_TRUE(state.Look(0).loads[1].is_used);
}

TEST(StateTest, UuidsAreStableAndOneOfAKind) {
  const ScratchState one(std::vector<std::string>(kMostGpus, "H200"));
  const ScratchState other(std::vector<std::string>(kMostGpus, "H200"));
  State a = one.Open();
  State b = other.Open();
  std::set<std::string> seen;
  for (int i = 0; i < kMostGpus; ++i) {
    const std::string uuid = a.Look(i).uuid.data();
    EXPECT_THAT(uuid, MatchesRegex("GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
    EXPECT_EQ(uuid, b.Look(i).uuid.data());
    seen.insert(uuid);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kMostGpus));
}

TEST(StateTest, AFileOfSomethingElseIsRefused) {
  const ScratchState scratch({"H200"});
  EXPECT_EQ(State::Open(scratch.path() + "x").error().code, ErrorCode::kNotFound);
  const auto size = std::filesystem::file_size(scratch.path());
  std::ofstream(scratch.path()) << std::string(size, 'x');
  EXPECT_EQ(State::Open(scratch.path()).error().code, ErrorCode::kCorrupt);
  std::ofstream(scratch.path()) << "short";
  EXPECT_EQ(State::Open(scratch.path()).error().code, ErrorCode::kCorrupt);
}

TEST(StateTest, APlanThatMakesNoSenseIsRefusedAndWritesNothing) {
  const ScratchState scratch({"H200"});
  const std::string path = scratch.path() + ".other";
  for (const Plan& plan : {Plan{}, Plan{.gpus = {"H2000"}}, Plan{.gpus = std::vector<std::string>(17, "A40")},
                           Plan{.gpus = {"A40"}, .time_scale = 0}}) {
    EXPECT_EQ(State::Create(path, plan).error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

TEST(StateTest, AFileThatIsMissingOrOfAnotherVersionIsMadeWithTheGpusThatAreNamed) {
  const ScratchState scratch({"H200"});
  const std::string path = scratch.path() + ".named";
  const Environment environment = [&](const std::string& name) -> std::optional<std::string> {
    if (name == "HELIOSTAT_DOUBLE") return path;
    return name == "HELIOSTAT_DOUBLE_GPUS" ? std::optional<std::string>("A40,A40,V100") : std::nullopt;
  };
  for (const char* content : {"", "of another version"}) {
    if (*content != '\0') std::ofstream(path) << content;
    const auto made = State::OpenNamed(environment);
    ASSERT_TRUE(made) << made.error().Line();
    EXPECT_EQ(made->gpus(), 3);
    EXPECT_TRUE(made->is_marked());
  }
  State state = *State::OpenNamed(environment);
  state.Update(2, [](GpuState& gpu) { gpu.At(device::Knob::kPowerLimit) = device::Setting::PowerLimit(Watts{150}); });
  EXPECT_EQ(State::OpenNamed(environment)->Look(2).At(device::Knob::kPowerLimit).limit(), Watts{150}) << "it stays";
}

TEST(ProcessTest, TellsOneThatIsThereFromOneThatIsNot) {
  Child child([](const auto& ready) { ready(); });
  const pid_t pid = child.pid();
  EXPECT_TRUE(LookAt(pid).has_value());
  EXPECT_GE(LookAt(pid)->start_ticks, LookAt(::getpid())->start_ticks);
  child.Kill();
  EXPECT_FALSE(LookAt(pid).has_value());
}

}  // namespace
}  // namespace heliostat::nvml_double
