#include "heliostat/control/cluster/command_runner.h"

#include <gmock/gmock.h>

namespace heliostat::cluster {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class ProcessRunnerTest : public ::testing::Test {
 protected:
  Result<std::string> Shell(const std::string& script, milliseconds limit = milliseconds(5000)) {
    return runner_.Run({"sh", "-c", script}, limit, 1000);
  }

  ProcessRunner runner_{{"PATH=/usr/bin:/bin", "SLURM_CONF=/etc/slurm.conf", "SQUEUE_FORMAT=%i", "TZ=Europe/Berlin",
                         "SACCT_FORMAT=jobid", "SLURM_CLUSTERS=other"}};
};

TEST_F(ProcessRunnerTest, GivesTheOutput) { EXPECT_EQ(*Shell("echo hello"), "hello\n"); }

TEST_F(ProcessRunnerTest, PassesOnlyVariablesThatChangeNoOutput) {
  EXPECT_EQ(*Shell("echo \"$SLURM_CONF|$SQUEUE_FORMAT|$SACCT_FORMAT|$SLURM_CLUSTERS|$TZ|$SLURM_TIME_FORMAT|$LC_ALL\""),
            "/etc/slurm.conf||||UTC|%s|C\n");
}

TEST_F(ProcessRunnerTest, AFailureHasTheLastWords) {
  const auto failed = Shell("echo first >&2; echo 'slurm_load_jobs error: Unable to contact' >&2; exit 1");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(failed.error().Line(), "sh: slurm_load_jobs error: Unable to contact");
  EXPECT_THAT(Shell("exit 4").error().Line(), HasSubstr("ends with status 4"));
}

TEST_F(ProcessRunnerTest, HasItsLimits) {
  EXPECT_EQ(Shell("sleep 3600", milliseconds(20)).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(Shell("head -c 1001 /dev/zero").error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(runner_.Run({"no-such-program"}, milliseconds(100), 10).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace heliostat::cluster
