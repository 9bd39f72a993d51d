#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>

#include "heliostat/control/cluster/cluster.h"

namespace heliostat::cluster::testing {

// A cluster with jobs that wait and jobs that run, and ways to make it fall silent.
class ClusterStage {
 public:
  virtual ~ClusterStage() = default;
  virtual Cluster& cluster() = 0;
  virtual Instant now() const = 0;
  virtual void BeSilent() = 0;
  // Returns when questions are answered again.
  virtual void Speak() = 0;
};

// The contract of every Cluster. A new implementation gets these tests with one INSTANTIATE_TEST_SUITE_P. Nothing on
// the stage may change by itself but the reasons why jobs wait.
using StageFactory = std::function<std::unique_ptr<ClusterStage>()>;

class ClusterContract : public ::testing::TestWithParam<StageFactory> {
 protected:
  void SetUp() override {
    stage_ = GetParam()();
    ASSERT_NE(stage_, nullptr);
  }
  ClusterSnapshot Look() {
    auto snapshot = stage_->cluster().Look();
    EXPECT_TRUE(snapshot) << snapshot.error().Line();
    return snapshot ? *snapshot : ClusterSnapshot{};
  }
  static bool HasNodes(const ClusterJob& job) {
    return job.state == JobState::kStarting || job.state == JobState::kRunning || job.state == JobState::kSuspended;
  }

  std::unique_ptr<ClusterStage> stage_;
};

TEST_P(ClusterContract, SaysWhatItIs) {
  const auto facts = stage_->cluster().Facts();
  ASSERT_TRUE(facts) << facts.error().Line();
  EXPECT_FALSE(facts->kind.empty());
  EXPECT_FALSE(facts->version.empty());
  EXPECT_FALSE(facts->name.empty());
}

TEST_P(ClusterContract, HasNoKeyAndNoNameTwice) {
  const ClusterSnapshot snapshot = Look();
  std::set<JobKey> keys;
  for (const ClusterJob& job : snapshot.jobs) EXPECT_TRUE(keys.insert(job.key).second) << NumberText(job.key);
  std::set<std::string> names;
  for (const ClusterNode& node : snapshot.nodes) EXPECT_TRUE(names.insert(node.name).second) << node.name;
  EXPECT_FALSE(keys.empty());
  EXPECT_FALSE(names.empty());
}

TEST_P(ClusterContract, TimesAreInTheirOrder) {
  const ClusterSnapshot snapshot = Look();
  EXPECT_LE(snapshot.time, stage_->now());
  for (const ClusterJob& job : snapshot.jobs) {
    SCOPED_TRACE(NumberText(job.key));
    EXPECT_LE(job.key.submit, stage_->now());
    if (HasNodes(job)) {
      ASSERT_TRUE(job.start);
      EXPECT_GE(*job.start, job.key.submit);
      EXPECT_LE(*job.start, stage_->now());
    }
    EXPECT_EQ(job.end.has_value(), job.state == JobState::kEnded);
    EXPECT_EQ(job.end_kind.has_value(), job.state == JobState::kEnded);
    if (job.end && job.start) EXPECT_GE(*job.end, *job.start);
  }
}

TEST_P(ClusterContract, JobsRunOnNodesThatItHas) {
  const ClusterSnapshot snapshot = Look();
  std::set<std::string> names;
  for (const ClusterNode& node : snapshot.nodes) names.insert(node.name);
  for (const ClusterJob& job : snapshot.jobs) {
    SCOPED_TRACE(NumberText(job.key));
    for (const std::string& node : job.nodes) EXPECT_TRUE(names.contains(node)) << node;
    if (HasNodes(job)) EXPECT_EQ(static_cast<int>(job.nodes.size()), job.node_count);
    const bool waits = job.state == JobState::kWaiting || job.state == JobState::kHeld;
    if (waits) {
      EXPECT_TRUE(job.nodes.empty());
      EXPECT_TRUE(job.gpus_allocated.empty());
    }
  }
}

TEST_P(ClusterContract, GpusOfJobsAreThoseInUse) {
  const ClusterSnapshot snapshot = Look();
  GpusByType of_jobs;
  for (const ClusterJob& job : snapshot.jobs) {
    if (!HasNodes(job)) continue;
    for (const auto& [type, count] : job.gpus_allocated) of_jobs[type] += count;
  }
  GpusByType of_nodes;
  for (const ClusterNode& node : snapshot.nodes) {
    SCOPED_TRACE(node.name);
    EXPECT_LE(CountOf(node.gpus_in_use), CountOf(node.gpus));
    EXPECT_LE(node.cpus_in_use, node.cpus);
    for (const auto& [type, count] : node.gpus_in_use) of_nodes[type] += count;
  }
  EXPECT_EQ(of_jobs, of_nodes);
  EXPECT_FALSE(of_jobs.empty());
}

TEST_P(ClusterContract, LookingTwiceShowsTheSame) {
  const ClusterSnapshot first = Look();
  const ClusterSnapshot second = Look();
  EXPECT_EQ(first.nodes, second.nodes);
  std::set<std::pair<JobKey, JobState>> before;
  std::set<std::pair<JobKey, JobState>> after;
  for (const ClusterJob& job : first.jobs) before.emplace(job.key, job.state);
  for (const ClusterJob& job : second.jobs) after.emplace(job.key, job.state);
  EXPECT_EQ(before, after);
}

TEST_P(ClusterContract, SilenceIsAnErrorAndNeverAnEmptyQueue) {
  const std::size_t jobs = Look().jobs.size();
  stage_->BeSilent();
  for (int i = 0; i < 2; ++i) {
    const auto snapshot = stage_->cluster().Look();
    ASSERT_FALSE(snapshot);
    EXPECT_EQ(snapshot.error().code, ErrorCode::kUnavailable);
    EXPECT_EQ(snapshot.error().Line().find('\n'), std::string::npos);
  }
  EXPECT_FALSE(stage_->cluster().Facts());
  stage_->Speak();
  EXPECT_EQ(Look().jobs.size(), jobs);
}

TEST_P(ClusterContract, TheHistoryHasWhatEndedInItsSpan) {
  const auto facts = stage_->cluster().Facts();
  ASSERT_TRUE(facts);
  const Interval day{stage_->now() - std::chrono::hours(24), stage_->now() + Duration(1)};
  const auto history = stage_->cluster().History(day);
  if (facts->accounting != Accounting::kDatabase) {
    ASSERT_FALSE(history);
    EXPECT_EQ(history.error().code, ErrorCode::kUnsupported);
    return;
  }
  ASSERT_TRUE(history) << history.error().Line();
  EXPECT_FALSE(history->empty());
  Instant last = day.begin;
  for (const ClusterJob& job : *history) {
    SCOPED_TRACE(NumberText(job.key));
    EXPECT_EQ(job.state, JobState::kEnded);
    ASSERT_TRUE(job.end && job.end_kind);
    EXPECT_TRUE(day.Contains(*job.end));
    EXPECT_GE(*job.end, last);
    last = *job.end;
  }
  const auto nothing = stage_->cluster().History({day.begin - std::chrono::hours(24), day.begin});
  ASSERT_TRUE(nothing) << nothing.error().Line();
  EXPECT_TRUE(nothing->empty());
}

}  // namespace heliostat::cluster::testing
