#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

using namespace std::chrono_literals;

scenario::RecordedRun Ran(const Desk& desk, Duration begin, Duration end, std::vector<NodeShare> nodes = {}) {
  return {{desk.site().start + begin, desk.site().start + end}, std::move(nodes)};
}

TEST(AsRecorded, StartsAJobAtItsTimeInItsGroupOnItsNodes) {
  Desk desk;
  desk.can().place = true;
  auto policy = Named("as-recorded");
  const JobId job = desk.Submit(2.0, std::nullopt, 2, 2);
  desk.job(job).asked.recorded = {.group = 1, .runs = {Ran(desk, 90min, 210min, {{0, 1}, {1, 1}})}};
  EXPECT_EQ(desk.Ask(*policy).call_again, desk.now() + 90min);
  EXPECT_FALSE(desk.Runs(job));
  desk.MoveTo(1.5);
  const Decision decision = desk.Ask(*policy);
  ASSERT_TRUE(desk.Runs(job));
  EXPECT_EQ(desk.job(job).setting.group, 1U);
  EXPECT_EQ(decision.jobs[0].nodes, (std::vector<NodeShare>{{0, 1}, {1, 1}}));
  EXPECT_EQ(decision.jobs[0].until, desk.now() + 2h);
  EXPECT_EQ(decision.jobs[0].why.kind, Reason::Kind::kRecord);
}

TEST(AsRecorded, NamesNoNodesWhereTheWorldPlacesJobs) {
  Desk desk;
  auto policy = Named("as-recorded");
  const JobId job = desk.Submit(2.0, std::nullopt, 2, 2);
  desk.job(job).asked.recorded = {.group = 1, .runs = {Ran(desk, 0min, 120min, {{1, 2}})}};
  EXPECT_TRUE(desk.Ask(*policy).jobs[0].nodes.empty());
  EXPECT_TRUE(desk.Runs(job));
}

TEST(AsRecorded, ALateJobDoesNotBlockOthers) {
  Desk desk;
  auto policy = Named("as-recorded");
  std::vector<JobId> jobs;
  for (int i = 0; i < 3; ++i) {
    jobs.push_back(desk.Submit(2.0, std::nullopt, 4, 4));
    desk.job(jobs.back()).asked.recorded = {.group = 0, .runs = {Ran(desk, 0min, 120min)}};
  }
  const JobId elsewhere = desk.Submit(2.0, std::nullopt, 4, 4);
  desk.job(elsewhere).asked.recorded = {.group = 1, .runs = {Ran(desk, 0min, 120min)}};
  desk.Ask(*policy);
  EXPECT_FALSE(desk.Runs(jobs[2]));  // the group has two nodes of four GPUs
  EXPECT_TRUE(desk.Runs(elsewhere));
  desk.End(jobs[0]);
  desk.Ask(*policy);
  EXPECT_TRUE(desk.Runs(jobs[2]));
}

TEST(AsRecorded, ARequeuedJobStopsBetweenItsRuns) {
  Desk desk;
  auto policy = Named("as-recorded");
  const JobId job = desk.Submit(3.0, std::nullopt, 4, 4);
  desk.job(job).asked.recorded = {.group = 0, .runs = {Ran(desk, 0min, 60min), Ran(desk, 150min, 270min)}};
  EXPECT_EQ(desk.Ask(*policy).call_again, desk.now() + 1h);
  ASSERT_TRUE(desk.Runs(job));
  desk.MoveTo(1.0);
  desk.Progress(job, 1.0 / 3.0);
  desk.job(job).since = desk.now();
  const JobId next = desk.Submit(2.0, std::nullopt, 4, 4);
  const JobId last = desk.Submit(2.0, std::nullopt, 4, 4);
  desk.job(next).asked.recorded = desk.job(last).asked.recorded = {.group = 0, .runs = {Ran(desk, 60min, 180min)}};
  EXPECT_EQ(desk.Ask(*policy).call_again, desk.now() + 90min);
  EXPECT_FALSE(desk.Runs(job));
  EXPECT_TRUE(desk.Runs(next));
  EXPECT_TRUE(desk.Runs(last));  // on the GPUs that the stop frees, in the same second
  desk.End(next);
  desk.MoveTo(2.5);
  desk.Ask(*policy);
  EXPECT_TRUE(desk.Runs(job));
}

TEST(AsRecorded, JobsWithoutARecordStartAtOnce) {
  Desk desk;
  auto policy = Named("as-recorded");
  const JobId job = desk.Submit(2.0, 40.0, 1, 4);
  desk.Ask(*policy);
  ASSERT_TRUE(desk.Runs(job));
  EXPECT_EQ(desk.PointOf(job).workers, 4);
}

}  // namespace
}  // namespace heliostat::policy::testing
