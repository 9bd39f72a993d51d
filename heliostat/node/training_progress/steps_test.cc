#include "heliostat/node/training_progress/steps.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "python/heliostat_step.h"

namespace heliostat::training_progress {
namespace {

StepFile NewFile() { return *StepFile::Create(ProcessEnvironment()); }

// The header opens its file once in a process: each report has a process of its own.
template <typename Report>
pid_t InProcess(const StepFile& file, Report report) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setenv(StepFile::kVariable, file.path().c_str(), 1);
    report();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  return pid;
}

TEST(StepFileTest, IsItsOwnersAloneAndGoesWithItsObject) {
  std::string path;
  {
    const StepFile file = NewFile();
    path = file.path();
    struct stat facts {};
    ASSERT_EQ(::stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0600U);
    EXPECT_FALSE(file.Read());  // no process has begun
  }
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

TEST(StepFileTest, ShowsWhatTheHeaderReports) {
  const StepFile file = NewFile();
  const auto before = std::chrono::steady_clock::now().time_since_epoch();
  const pid_t pid = InProcess(file, [] {
    for (int i = 0; i < 5; ++i) heliostat_step(32);
    heliostat_phase(HELIOSTAT_EVALUATE);
  });
  const auto reading = file.Read();
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->steps, 5U);
  EXPECT_EQ(reading->samples, 160U);
  EXPECT_EQ(reading->phase, StepPhase::kEvaluate);
  EXPECT_EQ(reading->pid, pid);
  EXPECT_GE(reading->last, before);
  EXPECT_LE(reading->last, std::chrono::steady_clock::now().time_since_epoch());
}

TEST(StepFileTest, ARestartedProgramCountsOn) {
  const StepFile file = NewFile();
  (void)InProcess(file, [] { heliostat_step(0); });
  const pid_t second = InProcess(file, [] { heliostat_step(0); });
  EXPECT_EQ(file.Read()->steps, 2U);
  EXPECT_EQ(file.Read()->pid, second);
}

TEST(StepFileTest, OtherRanksForkedWorkersAndSecondProcessesSayNothing) {
  const StepFile file = NewFile();
  (void)InProcess(file, [&] {
    heliostat_step(1);
    if (const pid_t worker = ::fork(); worker == 0) {
      heliostat_step(1);
      ::_exit(0);
    } else {
      ::waitpid(worker, nullptr, 0);
    }
  });
  EXPECT_EQ(file.Read()->steps, 1U);
  (void)InProcess(file, [] {
    ::setenv("RANK", "3", 1);
    heliostat_step(1);
  });
  EXPECT_EQ(file.Read()->steps, 1U);
}

TEST(StepFileTest, WithoutAFileTheHeaderDoesNothing) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setenv(StepFile::kVariable, "/nowhere/at-all", 1);
    heliostat_step(1);
    heliostat_phase(HELIOSTAT_IDLE);
    ::_exit(7);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace heliostat::training_progress
