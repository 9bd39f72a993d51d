#include "heliostat/node/process/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "heliostat/node/process/testing/stage.h"

namespace {

// Counts allocations in guards: processes that are neither the test nor Heliostat.
struct Watch {
  std::atomic<pid_t> test{0};
  std::atomic<pid_t> heliostat{0};
  std::atomic<int> allocations{0};
};
Watch* watch = nullptr;

}  // namespace

void* operator new(std::size_t size) {
  if (watch != nullptr && watch->heliostat != 0) {
    const pid_t pid = ::getpid();
    watch->allocations += pid != watch->test && pid != watch->heliostat ? 1 : 0;
  }
  if (void* const memory = std::malloc(size)) return memory;  // NOLINT(cppcoreguidelines-no-malloc)
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }                        // NOLINT
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }  // NOLINT

namespace heliostat::process {
namespace {

using testing::ParentOf;
using testing::PlayHeliostat;
using testing::Stage;
using testing::StateOf;
using testing::WaitFor;

// One process per member of a held family: the program, a worker in its group, and a worker in a session of its own.
const char* const kFamily =
    "import os,subprocess,time\n"
    "a=subprocess.Popen(['sleep','60']); b=subprocess.Popen(['sleep','60'],start_new_session=True)\n"
    "os.write(1,b'%d %d %d\\n'%(os.getpid(),a.pid,b.pid))\n"
    "time.sleep(60)\n";

// A family that is held for three seconds of each four, with the processes around it.
class HeldFamily {
 public:
  explicit HeldFamily(std::vector<std::string> restore = {})
      : stage_(Stage::OnPipes([&] {
          const auto begun = std::chrono::steady_clock::now();
          PlayHeliostat({{"python3", "-c", kFamily}, {}, {}, restore}, [begun](Child& child) {
            child.SetOwesCard(true);
            const bool is_time_to_hold =
                (std::chrono::steady_clock::now() - begun) % std::chrono::seconds(4) < std::chrono::seconds(3);
            if (is_time_to_hold) child.Hold();
            if (!is_time_to_hold) child.Release();
          });
        })) {
    std::array<pid_t, 3> pids{};
    const std::string line = stage_.ReadUntil("\n");
    EXPECT_EQ(std::sscanf(line.c_str(), "%d %d %d", &pids[0], &pids[1], &pids[2]), 3) << line;
    family_.assign(pids.begin(), pids.end());
    members_ = {stage_.pid(), ParentOf(pids[0]), ParentOf(ParentOf(pids[0]))};
    EXPECT_EQ(ParentOf(members_[2]), stage_.pid());
    EXPECT_TRUE(WaitFor([&] { return Stopped() == 3; }));
  }
  ~HeldFamily() {
    for (const pid_t pid : family_) ::kill(pid, SIGKILL);
    for (const pid_t pid : members_) ::kill(pid, SIGCONT);
  }
  HeldFamily(const HeldFamily&) = delete;
  HeldFamily& operator=(const HeldFamily&) = delete;

  // Heliostat, the first guard, the second guard.
  pid_t member(std::size_t i) const { return members_.at(i); }
  pid_t program() const { return family_[0]; }
  pid_t worker() const { return family_[2]; }
  int Stopped() const {
    return static_cast<int>(
        std::count_if(family_.begin(), family_.end(), [](pid_t pid) { return StateOf(pid) == 'T'; }));
  }
  // True when every process of the family lives and none is stopped.
  bool IsLetGo() const {
    return std::all_of(family_.begin(), family_.end(),
                       [](pid_t pid) { return std::strchr("RSD", StateOf(pid)) != nullptr; });
  }
  Stage& stage() { return stage_; }

 private:
  Stage stage_;
  std::vector<pid_t> family_;
  std::array<pid_t, 3> members_{};
};

struct Blow {
  std::size_t member;
  int signal;
};

// All at once, because each takes seconds to wait.
TEST(GuardTest, EveryPairOfDeathsAndStopsLeavesNothingStopped) {
  struct Case {
    std::array<Blow, 2> blows;
    std::unique_ptr<HeldFamily> held = std::make_unique<HeldFamily>();
  };
  std::vector<Case> cases;
  for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 1}, {0, 2}, {1, 2}}) {
    for (const int one : {SIGKILL, SIGSTOP}) {
      for (const int other : {SIGKILL, SIGSTOP}) cases.push_back({{Blow{a, one}, Blow{b, other}}});
    }
  }
  for (const Case& each : cases) {
    for (const Blow& blow : each.blows) ::kill(each.held->member(blow.member), blow.signal);
  }
  for (const Case& each : cases) {
    EXPECT_TRUE(WaitFor([&] { return each.held->IsLetGo(); }))
        << each.blows[0].member << " by " << each.blows[0].signal << ", " << each.blows[1].member << " by "
        << each.blows[1].signal;
  }
}

TEST(GuardTest, ASilentHeliostatIsMadeUpForWithinSeconds) {
  HeldFamily held;
  ::kill(held.member(0), SIGSTOP);
  EXPECT_TRUE(WaitFor([&] { return held.IsLetGo(); }));
  ::kill(held.member(0), SIGCONT);
  EXPECT_TRUE(WaitFor([&] { return held.Stopped() == 3; })) << "it holds again";
}

TEST(GuardTest, AProgramThatIsKilledWhileHeldLeavesNoWorkerStopped) {
  for (const bool is_heliostat_killed : {false, true}) {
    HeldFamily held;
    ::kill(held.program(), SIGKILL);
    if (is_heliostat_killed) ::kill(held.member(0), SIGKILL);
    EXPECT_TRUE(WaitFor([&] { return StateOf(held.worker()) == 'S'; })) << is_heliostat_killed;
  }
}

TEST(GuardTest, TheEndingIsKnownWhicheverGuardDies) {
  for (const auto& killed : {std::vector<std::size_t>{1}, {2}, {1, 2}}) {
    HeldFamily held;
    for (const std::size_t member : killed) ::kill(held.member(member), SIGKILL);
    EXPECT_TRUE(WaitFor([&] { return killed.size() < 2 || held.IsLetGo(); }));
    ::kill(held.program(), SIGTERM);
    ::kill(held.program(), SIGCONT);
    EXPECT_TRUE(held.stage().WasKilledBy(SIGTERM)) << killed.size();
  }
}

TEST(GuardTest, ASignalToTheGroupOfHeliostatDoesNotReachGuardsOrProgram) {
  HeldFamily held;
  for (const pid_t pid : {held.member(1), held.member(2), held.program()}) EXPECT_EQ(::getpgid(pid), pid);
  EXPECT_NE(::getpgid(held.member(0)), held.member(1));
}

TEST(GuardTest, WhenHeliostatDiesTheCardIsPutBackByACommand) {
  for (const auto& also : {std::vector<std::size_t>{}, {1}, {2}}) {
    const std::string mark = "/tmp/heliostat-restored-" + std::to_string(::getpid());
    HeldFamily held({"/bin/sh", "-c", "echo done >> " + mark});
    for (const std::size_t member : also) ::kill(held.member(member), SIGKILL);
    EXPECT_NE(::access(mark.c_str(), F_OK), 0);
    ::kill(held.member(0), SIGKILL);
    EXPECT_TRUE(WaitFor([&] { return ::access(mark.c_str(), F_OK) == 0; }));
    ::unlink(mark.c_str());
  }
}

TEST(GuardTest, NothingIsAllocatedAfterTheFork) {
  watch =
      static_cast<Watch*>(::mmap(nullptr, sizeof(Watch), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(watch, MAP_FAILED);
  watch->test = ::getpid();
  auto stage = Stage::OnPipes([&] {
    bool has_written = false;
    auto child = Child::Start({{"sh", "-c", "echo started; sleep 0.3; echo on"}, {}},
                              [&](std::string_view) { has_written = true; });
    watch->heliostat = ::getpid();
    while (!has_written) (*child)->Poll(std::chrono::milliseconds(10));
    (*child)->Hold();
    ::kill(::getpid(), SIGKILL);  // the guards take over: release, relay, end
  });
  EXPECT_THAT(stage.ReadAll().first, ::testing::EndsWith("on\n"));
  EXPECT_EQ(watch->allocations, 0);
  watch->heliostat = 0;
}

}  // namespace
}  // namespace heliostat::process
