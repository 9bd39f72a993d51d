#include "heliostat/node/lease/machine.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heliostat/node/lease/process_stat.h"

namespace heliostat::lease {
namespace {

// Fields 4 to 19, of which nothing is wanted.
constexpr const char* kBetween = " 1 2 3 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 ";

std::string Stat(const std::string& command, const std::string& state, int threads) {
  return "42 (" + command + ") " + state + kBetween + std::to_string(threads) + " 0 98765 1 2 3\n";
}

TEST(ProcessStatTest, ACommandMayHoldBlanksAndParentheses) {
  for (const char* command : {"bash", "a b", "x) R 1 (y", "(", ")", ") Z", ""}) {
    EXPECT_EQ(ReadProcessStat(Stat(command, "S", 1)), (Process{42, 98765})) << command;
  }
}

TEST(ProcessStatTest, AZombieIsDeadUnlessThreadsOfItLive) {
  EXPECT_EQ(ReadProcessStat(Stat("python3", "Z", 1)), std::nullopt);
  EXPECT_EQ(ReadProcessStat(Stat("python3", "Z", 0)), std::nullopt);
  EXPECT_EQ(ReadProcessStat(Stat("python3", "X", 1)), std::nullopt);
  EXPECT_EQ(ReadProcessStat(Stat("python3", "Z", 3)), (Process{42, 98765}));
}

TEST(ProcessStatTest, AThreadOfTheKernelOwnsNothing) {
  std::string text = Stat("kworker/R-netns", "I", 1);
  const std::string flags = "4194304";
  text.replace(text.find(flags), flags.size(), "69238880");
  EXPECT_EQ(ReadProcessStat(text), std::nullopt);
}

TEST(ProcessStatTest, CutAnywhereBeforeTheStartItIsNothing) {
  const std::string whole = Stat("a (b) c", "R", 2);
  const std::size_t needed = whole.find("98765") + 5;
  for (std::size_t length = 0; length < needed - 5; ++length) {
    EXPECT_EQ(ReadProcessStat(whole.substr(0, length)), std::nullopt) << length;
  }
  EXPECT_EQ(ReadProcessStat(whole.substr(0, needed)), (Process{42, 98765}));
}

TEST(MachineTest, KnowsItself) {
  const auto machine = ThisMachine();
  EXPECT_EQ(machine->BootId().size(), 36U);
  EXPECT_GT(machine->SinceBoot().count(), 0);
  const auto self = machine->Find(::getpid());
  ASSERT_TRUE(self);
  EXPECT_TRUE(machine->IsAlive(*self));
  EXPECT_FALSE(machine->IsAlive({self->pid, self->start_ticks + 1})) << "a later process with the same number";
  EXPECT_EQ(machine->Find(0), std::nullopt);
  EXPECT_EQ(machine->Find(-1), std::nullopt);
}

TEST(MachineTest, AChildThatEndedIsDeadBeforeItIsCollected) {
  const auto machine = ThisMachine();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto alive = machine->Find(child);
  EXPECT_TRUE(alive);
  ::kill(child, SIGKILL);
  siginfo_t how{};
  ::waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT);
  EXPECT_EQ(machine->Find(child), std::nullopt) << "a zombie";
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(machine->Find(child), std::nullopt);
}

}  // namespace
}  // namespace heliostat::lease
