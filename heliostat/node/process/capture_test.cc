#include "heliostat/node/process/capture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "heliostat/base/core/environment.h"

namespace heliostat::process {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

Result<Captured> Shell(const std::string& script, const CaptureLimits& limits = {}) {
  return Capture({"sh", "-c", script}, ProcessVariables(), limits);
}

TEST(Capture, GivesOutputErrorsAndStatus) {
  const auto captured = Shell("echo out; echo err >&2; exit 3");
  ASSERT_TRUE(captured) << captured.error().Line();
  EXPECT_EQ(captured->output, "out\n");
  EXPECT_EQ(captured->errors, "err\n");
  EXPECT_EQ(captured->ending, (Ending{3, 0}));
}

TEST(Capture, TellsTheSignalThatEndedTheCommand) {
  const auto captured = Shell("kill -TERM $$");
  ASSERT_TRUE(captured);
  EXPECT_EQ(captured->ending, (Ending{0, SIGTERM}));
}

TEST(Capture, GivesExactlyTheVariablesAndNoInput) {
  const auto captured = Capture({"sh", "-c", "cat; echo \"$A-$HOME\""}, {"A=b", "PATH=/usr/bin:/bin"}, {});
  ASSERT_TRUE(captured);
  EXPECT_EQ(captured->output, "b-\n");
}

TEST(Capture, GivesTheInputToACommandThatMayLeaveIt) {
  const std::string input = std::string(3'000'000, 'x') + '\0' + "end";
  const auto all = Capture({"cat"}, {}, {}, input);
  ASSERT_TRUE(all) << all.error().Line();
  EXPECT_TRUE(all->output == input);
  const auto none = Capture({"true"}, {}, {}, input);
  ASSERT_TRUE(none) << none.error().Line();
  EXPECT_EQ(none->ending, (Ending{0, 0}));
}

TEST(Capture, KeepsAllOfALongOutput) {
  const auto captured = Shell("head -c 3000000 /dev/zero");
  ASSERT_TRUE(captured);
  EXPECT_EQ(captured->output.size(), 3'000'000u);
}

TEST(Capture, RefusesMoreOutputThanAllowed) {
  const auto exact = Shell("head -c 1000 /dev/zero", {.output_bytes = 1000});
  EXPECT_TRUE(exact);
  const auto endless = Shell("cat /dev/zero", {.output_bytes = 1000});
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().code, ErrorCode::kCorrupt);
}

TEST(Capture, KeepsTheBeginOfAFloodOfErrors) {
  const auto captured = Shell("head -c 3000000 /dev/zero | tr '\\0' e >&2; echo done");
  ASSERT_TRUE(captured);
  EXPECT_EQ(captured->output, "done\n");
  EXPECT_EQ(captured->errors, std::string(4096, 'e'));
}

// A command that ignores signals, and a child that would keep the pipe open for an hour.
TEST(Capture, KillsTheWholeGroupAtTheTimeLimit) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  // All processes of the group hold the pipe: it ends when the last of them does.
  const auto captured = Capture({"sh", "-c", fmt::format("trap '' TERM INT; sleep 3600 >&{} & sleep 3600", ends[1])},
                                ProcessVariables(), {.time = milliseconds(50)});
  ASSERT_FALSE(captured);
  EXPECT_EQ(captured.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(captured.error().Line(), HasSubstr("does not end within 50 ms"));
  ::close(ends[1]);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  ::close(ends[0]);
}

TEST(Capture, DoesNotWaitForWhatTheCommandLeavesBehind) {
  const auto captured = Shell("sleep 3600 & echo done", {.time = milliseconds(30'000)});
  ASSERT_TRUE(captured) << captured.error().Line();
  EXPECT_EQ(captured->output, "done\n");
}

TEST(Capture, NamesAProgramThatIsNotThere) {
  const auto captured = Capture({"no-such-program"}, {}, {});
  ASSERT_FALSE(captured);
  EXPECT_EQ(captured.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(captured.error().Line(), HasSubstr("no-such-program"));
  EXPECT_EQ(Capture({}, {}, {}).error().code, ErrorCode::kInvalidArgument);
}

TEST(Capture, RunsInSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (int n = 0; n < 5; ++n) EXPECT_EQ(Shell(fmt::format("echo {}", i))->output, fmt::format("{}\n", i));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Capture, LeavesNoChildAndNoFile) {
  const auto files = [] { return Shell("ls /proc/$PPID/fd | wc -l")->output; };
  const std::string before = files();
  for (int i = 0; i < 20; ++i) (void)Shell("true");
  EXPECT_EQ(files(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace heliostat::process
