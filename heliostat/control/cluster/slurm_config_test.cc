#include "heliostat/control/cluster/slurm_config.h"

#include <gmock/gmock.h>

#include "heliostat/control/cluster/testing/scripted_slurm.h"

namespace heliostat::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SlurmConfig, ReadsARecordedConfiguration) {
  const auto facts = ParseConfig(testing::Recorded("config.txt"));
  ASSERT_TRUE(facts) << facts.error().Line();
  EXPECT_EQ(facts->kind, "slurm");
  EXPECT_EQ(facts->version, "22.05.8");
  EXPECT_EQ(facts->name, "lab");
  EXPECT_EQ(facts->controller, "head(127.0.0.1)");
  EXPECT_EQ(facts->accounting, Accounting::kDatabase);
  EXPECT_TRUE(facts->accounts_gpus);
  EXPECT_TRUE(facts->keeps_comments);
  EXPECT_TRUE(facts->power_saving.is_on());
  EXPECT_EQ(facts->power_saving.suspend_program, "/var/lab/suspend");
  EXPECT_EQ(facts->power_saving.idle_time, std::chrono::hours(8760));
  EXPECT_EQ(facts->power_saving.suspend_timeout, Duration(2));
  EXPECT_EQ(facts->power_saving.resume_timeout, Duration(30));
  EXPECT_EQ(facts->priority_type, "priority/multifactor");
  EXPECT_THAT(facts->priority_flags, IsEmpty());
  EXPECT_EQ(facts->scheduler_type, "sched/backfill");
  EXPECT_THAT(facts->scheduler_parameters, ElementsAre("bf_interval=2", "sched_interval=2", "batch_sched_delay=0"));
  EXPECT_EQ(facts->preempt_type, "preempt/none");
  EXPECT_EQ(facts->preempt_mode, "OFF");
  EXPECT_THAT(facts->private_data, IsEmpty());
  EXPECT_TRUE(facts->requeues_by_default);
  EXPECT_EQ(facts->credential_life, Duration(5));
  EXPECT_EQ(facts->message_timeout, Duration(15));
  EXPECT_EQ(facts->memory_of_ended, Duration(300));
}

TEST(SlurmConfig, ABareClusterHasNothing) {
  const auto facts = ParseConfig(
      "SLURM_VERSION = 27.02.0\nClusterName = bare\nAccountingStorageType = (null)\nSuspendProgram = /bin/off\n"
      "ResumeProgram = /bin/on\nSuspendTime = INFINITE\nPrivateData = jobs,usage\nJobRequeue = 0\n");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->accounting, Accounting::kNone);
  EXPECT_FALSE(facts->accounts_gpus);
  EXPECT_FALSE(facts->power_saving.is_on());  // without a time Slurm has no power saving, whatever the programs
  EXPECT_THAT(facts->private_data, ElementsAre("jobs", "usage"));
  EXPECT_FALSE(facts->requeues_by_default);
  EXPECT_EQ(facts->credential_life, Duration(120));
}

TEST(SlurmConfig, RefusesAnotherText) {
  for (const char* text : {"", "hello\n", "ClusterName = lab\n", "SLURM_VERSION = 22.05.8\n"}) {
    const auto facts = ParseConfig(text);
    ASSERT_FALSE(facts);
    EXPECT_EQ(facts.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(facts.error().Line(), HasSubstr("scontrol show config: has no "));
  }
}

}  // namespace
}  // namespace heliostat::cluster
