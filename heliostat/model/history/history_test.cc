#include "heliostat/model/history/history.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heliostat::history {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr Instant kZero{std::chrono::sys_days{std::chrono::year{2024} / 3 / 1}};

SacctRun Ran(std::string id, Duration start, std::optional<Duration> end) {
  return {.id = std::move(id),
          .user = "ann",
          .name = "train",
          .submit = kZero,
          .start = kZero + start,
          .end = end ? std::optional(kZero + *end) : std::nullopt,
          .time_limit = 4h,
          .gpus = {3, {{"a100", 3}}},
          .hosts = {"n1"}};
}

HistoryOptions Day() { return {.begin = kZero, .end = kZero + 24h}; }

HistoryScenario Made(std::vector<SacctRun> runs, const HistoryOptions& options = Day()) {
  auto made = MakeFromDump({.name = "dump.txt", .runs = std::move(runs)}, options, {.has_prices = false});
  EXPECT_TRUE(made.has_value()) << made.error().Line();
  return made ? *std::move(made) : HistoryScenario{};
}

TEST(HistoryTest, AJobThatAllowsNothingStartsWhenItDid) {
  const HistoryScenario made = Made({Ran("7", 2h, 5h)});
  ASSERT_EQ(made.scenario.jobs.size(), 1U);
  const scenario::Job& job = made.scenario.jobs[0];
  EXPECT_EQ(job.submit, kZero + 2h);
  EXPECT_EQ(job.deadline, kZero + 5h + 8min + 1min);  // a node with A100s wakes in 8 minutes
  EXPECT_EQ(job.samples, 3 * 3 * 3600.0);
  EXPECT_EQ(job.min_workers, 3);
  EXPECT_EQ(job.max_workers, 3);
  EXPECT_FALSE(job.preemptible);
  EXPECT_EQ(job.owner, "ann");
  EXPECT_EQ(job.recorded->group, 0U);
  EXPECT_EQ(job.recorded->runs[0].nodes, (std::vector<scenario::NodeShare>{{0, 3}}));
  EXPECT_EQ(made.allowed.nothing, 1U);
  EXPECT_EQ(made.gpu_hours, 9.0);
  EXPECT_EQ(made.scenario.baseline, "as-recorded");
}

TEST(HistoryTest, SlackIsAShareOfTheTimeLimit) {
  SacctRun said = Ran("7", 2h, 5h);
  said.says.slack_share = 0.5;
  EXPECT_EQ(Made({said}).scenario.jobs[0].deadline, kZero + 7h);
  HistoryOptions options = Day();
  options.default_slack = 1.0;
  const HistoryScenario both = Made({said, Ran("8", 6h, 7h)}, options);
  EXPECT_EQ(both.scenario.jobs[0].deadline, kZero + 7h);
  EXPECT_EQ(both.scenario.jobs[1].deadline, kZero + 11h);
  EXPECT_EQ(both.allowed.by_comment, 1U);
  EXPECT_EQ(both.allowed.by_default, 1U);
  said.time_limit.reset();
  const HistoryScenario unlimited = Made({said}, options);
  EXPECT_EQ(unlimited.allowed.no_limit, 1U);
  EXPECT_EQ(unlimited.scenario.jobs[0].deadline, kZero + 5h + 9min);
}

TEST(HistoryTest, ADeadlineCountsUnlessTheSiteMissedIt) {
  SacctRun said = Ran("7", 2h, 5h);
  said.says.deadline = kZero + 9h;
  EXPECT_EQ(Made({said}).scenario.jobs[0].deadline, kZero + 9h);
  said.says.slack_share = 0.5;
  EXPECT_EQ(Made({said}).scenario.jobs[0].deadline, kZero + 7h);  // both hold
  said.says.deadline = kZero + 4h;
  const HistoryScenario late = Made({said});
  EXPECT_EQ(late.scenario.jobs[0].deadline, kZero + 5h + 9min);
  EXPECT_EQ(late.allowed.late_anyway, 1U);
}

TEST(HistoryTest, NothingIsAllowedForJobsThatAreNotTouched) {
  SacctRun part = Ran("7+0", 2h, 5h);
  part.says.slack_share = 0.5;
  part.says.may_suspend = true;
  part.is_untouchable = true;
  const HistoryScenario made = Made({part});
  EXPECT_EQ(made.scenario.jobs[0].deadline, kZero + 5h + 9min);
  EXPECT_FALSE(made.scenario.jobs[0].preemptible);
}

TEST(HistoryTest, AJobThatMayPauseTakesAsLongWithOneStart) {
  SacctRun said = Ran("7", 2h, 5h);
  said.says = {.slack_share = 1.0, .may_requeue = true};
  const scenario::Job job = Made({said}).scenario.jobs[0];
  EXPECT_TRUE(job.preemptible);
  EXPECT_EQ(job.resume, 60s);
  EXPECT_EQ(job.samples, 3.0 * (3 * 3600 - 60));
}

TEST(HistoryTest, JobsAreCutAtTheEdges) {
  const HistoryScenario made = Made({Ran("1", -3h, 2h), Ran("2", 3h, std::nullopt), Ran("3", 23h, 30h)});
  ASSERT_EQ(made.scenario.jobs.size(), 3U);
  EXPECT_EQ(made.gpu_hours, 3 * (2 + 21 + 1));
  for (const scenario::Job& job : made.scenario.jobs) EXPECT_LE(*job.deadline, made.scenario.end());
  EXPECT_THAT(made.notes, Contains(HasSubstr("1 that began before it, 1 that ended after it; 27.0 GPU-hours outside")));
}

TEST(HistoryTest, JobsStayOnTheirKindOfGpu) {
  SacctRun other = Ran("8", 2h, 5h);
  other.gpus = {2, {{"v100", 2}}};
  other.hosts = {"v1"};
  const HistoryScenario made = Made({Ran("7", 2h, 5h), other});
  ASSERT_EQ(made.scenario.groups.size(), 2U);
  for (const scenario::Job& job : made.scenario.jobs) {
    for (std::size_t g = 0; g < 2; ++g) {
      EXPECT_EQ(made.scenario.PointsFor(job, g).empty(), g != job.recorded->group) << job.id;
    }
  }
}

TEST(HistoryTest, JobsOfOneUserAndNameTrainTheSameModel) {
  std::vector<SacctRun> runs;
  for (int i = 0; i < 20; ++i) {
    runs.push_back(Ran(fmt::format("{}", i), 1h * i, 1h * i + 30min));
    if (i >= 10) runs.back().name = fmt::format("other {}", i);
  }
  const HistoryScenario made = Made(runs);
  std::set<std::string> others;
  for (int i = 0; i < 20; ++i) {
    if (i < 10) EXPECT_EQ(made.scenario.jobs[static_cast<std::size_t>(i)].model, made.scenario.jobs[0].model);
    if (i >= 10) others.insert(made.scenario.jobs[static_cast<std::size_t>(i)].model);
  }
  EXPECT_GT(others.size(), 1U);
}

TEST(HistoryTest, WithoutJobsThereIsNoScenario) {
  const auto none = MakeFromDump({.name = "dump.txt"}, {}, {});
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().Line(), HasSubstr("dump.txt: has no job that ran on GPUs"));
  const auto elsewhere = MakeFromDump({.name = "dump.txt", .runs = {Ran("7", 30h, 40h)}}, Day(), {});
  ASSERT_FALSE(elsewhere.has_value());
  EXPECT_THAT(elsewhere.error().Line(), HasSubstr("from 2024-03-01T00:00:00Z to 2024-03-02T00:00:00Z"));
  const auto empty =
      MakeFromDump({.name = "dump.txt", .runs = {Ran("7", 2h, 4h)}}, {.begin = kZero + 3h, .end = kZero + 3h}, {});
  EXPECT_FALSE(empty.has_value());
}

TEST(HistoryTest, PowerSavingIsPartOfTheBaseline) {
  HistoryOptions options = Day();
  options.has_power_saving = true;
  EXPECT_EQ(Made({Ran("7", 2h, 5h)}, options).scenario.baseline, "as-recorded+sleep");
}

}  // namespace
}  // namespace heliostat::history
