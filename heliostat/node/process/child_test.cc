#include "heliostat/node/process/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "heliostat/node/process/testing/stage.h"

namespace heliostat::process {
namespace {

using testing::PlayHeliostat;
using testing::Shell;
using testing::Stage;
using testing::StateOf;
using testing::WaitFor;

Stage RunOnPipes(const ProgramCommand& command, const std::function<void(Child&)>& turn = {}) {
  return Stage::OnPipes([&] { PlayHeliostat(command, turn); });
}

TEST(ChildTest, PassesEveryExitStatusOn) {
  for (const int status : {0, 1, 2, 77, 255}) {
    EXPECT_EQ(RunOnPipes(Shell("exit " + std::to_string(status))).Status(), status);
  }
}

TEST(ChildTest, DiesByTheSignalThatKilledTheProgram) {
  for (const int number : {SIGKILL, SIGTERM, SIGSEGV, SIGINT}) {
    EXPECT_TRUE(RunOnPipes(Shell("kill -" + std::to_string(number) + " $$")).WasKilledBy(number)) << number;
  }
}

TEST(ChildTest, AProgramThatIsNotThereAndOneThatMayNotRunAreToldApart) {
  EXPECT_EQ(RunOnPipes({{"/nowhere/at-all"}, {}}).Status(), 127);
  EXPECT_EQ(RunOnPipes({{"no-such-program-on-path"}, {}}).Status(), 127);
  EXPECT_EQ(RunOnPipes({{"/etc/passwd"}, {}}).Status(), 126);
  const auto refused = Child::Start({{"/nowhere/at-all"}, {}}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(refused.error().Line(), ::testing::HasSubstr("/nowhere/at-all: cannot be started"));
  EXPECT_EQ(Child::Start({{}, {}}, {}).error().code, ErrorCode::kInvalidArgument);
}

TEST(ChildTest, OutputAndErrorKeepApart) {
  auto stage = RunOnPipes(Shell("echo out; echo err >&2; printf 'no newline\\r'"));
  const auto [out, err] = stage.ReadAll();
  EXPECT_EQ(out, "out\nno newline\r");
  EXPECT_EQ(err, "err\n");
}

TEST(ChildTest, OneTargetForBothKeepsTheirOrder) {
  auto stage = Stage::OnPipes([] {
    ::dup2(1, 2);
    PlayHeliostat(Shell("for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done"));
  });
  EXPECT_EQ(stage.ReadAll().first, "o1\ne1\no2\ne2\no3\ne3\no4\ne4\no5\ne5\no6\ne6\no7\ne7\no8\ne8\no9\ne9\n");
}

TEST(ChildTest, ExtraVariablesReplaceInheritedOnes) {
  ::setenv("HELIOSTAT_TEST_A", "old", 1);
  ::setenv("HELIOSTAT_TEST_B", "kept", 1);
  ProgramCommand command = Shell("echo $HELIOSTAT_TEST_A $HELIOSTAT_TEST_B; env | grep -c HELIOSTAT_TEST_A");
  command.environment = {{"HELIOSTAT_TEST_A", "new one"}};
  EXPECT_EQ(RunOnPipes(command).ReadAll().first, "new one kept\n1\n");
}

TEST(ChildTest, TenMegabytesOfAnythingArriveByteForByteHoweverSlowTheReader) {
  std::string bytes(10U << 20U, '\0');
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same in every run
  for (char& byte : bytes) byte = static_cast<char>(random());
  std::string path = "/tmp/heliostat-launch-XXXXXX";
  const int fd = ::mkstemp(path.data());
  ASSERT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(fd);
  auto stage = RunOnPipes({{"cat", path}, {}});
  ::poll(nullptr, 0, 100);  // the pipe is full: the program waits
  const auto [out, err] = stage.ReadAll();
  ::unlink(path.c_str());
  EXPECT_EQ(err, "");
  EXPECT_TRUE(out == bytes) << out.size();
  EXPECT_EQ(stage.Status(), 0);
}

TEST(ChildTest, TheObserverSeesWhatPasses) {
  auto stage = Stage::OnPipes([] {
    std::string seen;
    auto child = Child::Start(Shell("printf 'a\\033[31mb\\r\\n'; printf c >&2"),
                              [&](std::string_view bytes) { seen.append(bytes); });
    while (!(*child)->is_done()) (*child)->Poll(std::chrono::milliseconds(20));
    std::sort(seen.begin(), seen.end());
    ::_exit(seen == std::string("\n\r\03313[abcm") ? 0 : 1);
  });
  EXPECT_EQ(stage.ReadAll().first, "a\033[31mb\r\n");
  EXPECT_EQ(stage.Status(), 0);
}

TEST(ChildTest, AReaderThatGoesAwayIsMetAsABrokenPipe) {
  auto stage = RunOnPipes({{"yes"}, {}});
  (void)stage.ReadUntil("y\n");
  stage.CloseOutput();
  EXPECT_TRUE(stage.WasKilledBy(SIGPIPE));
}

TEST(ChildTest, SignalsThatWeGetReachTheProgram) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    auto stage = RunOnPipes(
        Shell("trap 'echo got; exit 5' " + std::to_string(number) + "; echo ready; while :; do sleep 0.02; done"));
    (void)stage.ReadUntil("ready\n");
    ::kill(stage.pid(), number);
    EXPECT_EQ(stage.ReadAll().first, "got\n") << number;
    EXPECT_EQ(stage.Status(), 5);
  }
}

TEST(ChildTest, WhatIsIgnoredFromTheStartStaysIgnored) {
  auto stage = Stage::OnPipes([] {
    std::signal(SIGHUP, SIG_IGN);  // nohup
    PlayHeliostat(Shell("kill -HUP $$; echo alive"));
  });
  EXPECT_EQ(stage.ReadAll().first, "alive\n");
}

TEST(ChildTest, ADescendantThatKeepsThePipeDoesNotKeepUsAndIsStillHeard) {
  auto stage = RunOnPipes(Shell("(sleep 0.8; echo late) & echo now; exit 3"));
  EXPECT_EQ(stage.ReadUntil("now\n"), "now\n");
  EXPECT_EQ(stage.Status(), 3);
  EXPECT_EQ(stage.ReadAll().first, "late\n");
}

// Writes the number of a process of its own beside the program's: one in the program's group, one in a session of its
// own, as launchers of workers do.
const char* const kFamily =
    "import os,subprocess,sys,time\n"
    "a=subprocess.Popen(['sleep','60']); b=subprocess.Popen(['sleep','60'],start_new_session=True)\n"
    "os.write(1,b'%d %d %d\\n'%(os.getpid(),a.pid,b.pid)); time.sleep(60)\n";

std::vector<pid_t> ReadFamily(Stage& stage) {
  std::vector<pid_t> pids(3);
  const std::string line = stage.ReadUntil("\n");
  EXPECT_EQ(std::sscanf(line.c_str(), "%d %d %d", &pids[0], &pids[1], &pids[2]), 3) << line;
  return pids;
}

bool AreAll(const std::vector<pid_t>& pids, bool stopped) {
  return std::all_of(pids.begin(), pids.end(), [&](pid_t pid) { return (StateOf(pid) == 'T') == stopped; });
}

void KillAll(const std::vector<pid_t>& pids) {
  for (const pid_t pid : pids) ::kill(pid, SIGKILL);
}

TEST(ChildTest, HoldsAndReleasesTheWholeFamily) {
  bool wants_hold = false;
  auto stage = RunOnPipes({{"python3", "-c", kFamily}, {}}, [&](Child& child) {
    // The test steers through a file that both see.
    wants_hold = ::access(("/tmp/heliostat-hold-" + std::to_string(::getpid())).c_str(), F_OK) == 0;
    if (wants_hold) child.Hold();
    if (!wants_hold) child.Release();
  });
  const auto pids = ReadFamily(stage);
  const std::string sign = "/tmp/heliostat-hold-" + std::to_string(stage.pid());
  for (int i = 0; i < 3; ++i) {
    ::close(::open(sign.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    EXPECT_TRUE(WaitFor([&] { return AreAll(pids, true); }));
    ::unlink(sign.c_str());
    EXPECT_TRUE(WaitFor([&] { return AreAll(pids, false); }));
  }
  KillAll(pids);
  EXPECT_TRUE(stage.WasKilledBy(SIGKILL));
}

TEST(ChildTest, AHeldProgramActsOnASignalAtOnce) {
  // The test steers through a file that both see.
  const auto sign_of = [](pid_t heliostat) { return "/tmp/heliostat-hold-" + std::to_string(heliostat); };
  // A shell would show as waiting, not as stopped, while the child that it starts is stopped.
  const char* const script =
      "import os,signal,time\nsignal.signal(signal.SIGTERM,lambda *_:(os.write(1,b'got\\n'),os._exit(5)))\n"
      "os.write(1,b'%d\\n'%os.getpid())\nwhile True: time.sleep(0.02)";
  auto stage = RunOnPipes({{"python3", "-c", script}, {}}, [&](Child& child) {
    if (::access(sign_of(::getpid()).c_str(), F_OK) == 0) child.Hold();
  });
  const std::string sign = sign_of(stage.pid());
  ::close(::open(sign.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  const pid_t program = std::atoi(stage.ReadUntil("\n").c_str());
  EXPECT_TRUE(WaitFor([&] { return StateOf(program) == 'T'; }));
  ::unlink(sign.c_str());  // it stays held, and is not held again
  ::kill(stage.pid(), SIGTERM);
  EXPECT_EQ(stage.ReadAll().first, "got\n");
  EXPECT_EQ(stage.Status(), 5);
}

TEST(ChildTest, KilledItLeavesNothingHeldAndTheProgramIsHeardToTheEnd) {
  const std::string script =
      "import os,time\nos.write(1,b'%d\\n'%os.getpid())\n"
      "end=time.monotonic()+0.5\nwhile time.monotonic()<end: time.sleep(0.01)\n"
      "time.sleep(0.2)\nprint('trained on',flush=True)\n";
  auto stage = RunOnPipes({{"python3", "-c", script}, {}}, [](Child& child) { child.Hold(); });
  const pid_t program = std::atoi(stage.ReadUntil("\n").c_str());
  ASSERT_GT(program, 1);
  EXPECT_TRUE(WaitFor([&] { return StateOf(program) == 'T'; }));
  ::kill(stage.pid(), SIGKILL);
  EXPECT_TRUE(stage.WasKilledBy(SIGKILL));
  EXPECT_EQ(stage.ReadAll().first, "trained on\n");
}

TEST(ChildTest, DestroyedWhileItHoldsItLetsGo) {
  auto stage = Stage::OnPipes([] {
    {
      auto child = Child::Start(Shell("echo $$; exec sleep 60"), {});
      for (int i = 0; i < 20; ++i) (*child)->Poll(std::chrono::milliseconds(10));
      (*child)->Hold();
      if (!WaitFor([&] { return StateOf((*child)->pid()) == 'T'; })) ::_exit(1);
    }
    ::_exit(0);
  });
  const pid_t program = std::atoi(stage.ReadUntil("\n").c_str());
  EXPECT_EQ(stage.Status(), 0);
  EXPECT_TRUE(WaitFor([&] { return StateOf(program) != 'T'; }));
  EXPECT_NE(StateOf(program), 0);
  ::kill(program, SIGKILL);
}

TEST(ChildTest, NothingOfOursLeaksIntoTheGuardOrTheProgram) {
  // A pipe whose writing end Heliostat alone has: its end is seen when Heliostat dies, even if other processes live.
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  auto stage = RunOnPipes(Shell("echo $$; exec sleep 60"));
  ::close(ends[1]);
  const pid_t program = std::atoi(stage.ReadUntil("\n").c_str());
  ::kill(stage.pid(), SIGKILL);
  char byte = 0;
  pollfd wanted{ends[0], POLLIN, 0};
  EXPECT_EQ(::poll(&wanted, 1, 10000), 1);
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  ::close(ends[0]);
  ::kill(program, SIGKILL);
}

}  // namespace
}  // namespace heliostat::process
