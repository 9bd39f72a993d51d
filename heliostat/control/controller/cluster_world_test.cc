#include "heliostat/control/controller/cluster_world.h"

#include <gtest/gtest.h>

namespace heliostat::controller {
namespace {

using policy::Phase;

constexpr Instant kNow{std::chrono::seconds{1'795'000'000}};

class ClusterWorldTest : public ::testing::Test {
 protected:
  ClusterWorldTest() : groups_(config_), world_(kNow, Duration{900}, 1.2, true) {
    for (const char* name : {"a1", "a2", "a3", "a4"}) {
      cluster::ClusterNode node;
      node.name = name;
      node.gpus = {{"a100", 8}};
      snapshot_.nodes.push_back(std::move(node));
    }
    using cluster::NodeState;
    snapshot_.nodes[0].state = NodeState::kAllocated;
    snapshot_.nodes[0].gpus_in_use = {{"a100", 8}};
    snapshot_.nodes[1].state = NodeState::kAsleep;
    snapshot_.nodes[2].state = NodeState::kWaking;
    snapshot_.nodes[3].state = NodeState::kDown;
    groups_.Follow(snapshot_);
    world_.ShowNodes(groups_, snapshot_);
  }
  static StartedJob Job(std::int64_t number, std::optional<Duration> ran = {}) {
    StartedJob job{{number, {}, kNow - Duration{500}},
                   "ann",
                   0,
                   8,
                   kNow - Duration{300},
                   {},
                   Duration{3600},
                   Duration{600},
                   false};
    if (ran) job.end = job.start + *ran;
    return job;
  }
  loop::WorldView Show(Duration at, std::vector<StartedJob> jobs) {
    world_.MoveTo(kNow + at);
    world_.ShowJobs(jobs);
    return world_.Look();
  }

  Config config_;
  NodeGroups groups_;
  cluster::ClusterSnapshot snapshot_;
  ClusterWorld world_;
};

TEST_F(ClusterWorldTest, CountsNodesByTheirStates) {
  const auto view = world_.Look();
  ASSERT_EQ(view.groups.size(), 1U);
  EXPECT_EQ(view.groups[0].up, 1);
  EXPECT_EQ(view.groups[0].asleep, 1);
  EXPECT_EQ(view.groups[0].waking, 1);
  EXPECT_EQ(view.groups[0].failed, 1);
  EXPECT_EQ(view.groups[0].gpus_in_use, 8);
}

TEST_F(ClusterWorldTest, ShowsAJobWhenTheClusterHasStartedIt) {
  const auto view = Show(Duration{0}, {Job(1)});
  ASSERT_EQ(view.arrived.size(), 1U);
  const policy::JobState& job = view.jobs[view.arrived[0]];
  EXPECT_EQ(job.phase, Phase::kRunning);
  EXPECT_EQ(job.since, kNow - Duration{300});
  EXPECT_DOUBLE_EQ(job.asked.samples, 3600.0);
  EXPECT_EQ(job.asked.deadline, kNow - Duration{300} + Duration{3600} + Duration{600});
  const auto& points = world_.site()->training.Of(job.asked.model, world_.site()->groups[0].gpu);
  EXPECT_EQ(points[job.setting.point].workers, 8);
  EXPECT_TRUE(Show(Duration{10}, {Job(1)}).arrived.empty());
}

TEST_F(ClusterWorldTest, EndsAJobWithTheSecondsThatItRan) {
  Show(Duration{0}, {Job(1)});
  const auto view = Show(Duration{10}, {Job(1, Duration{305})});
  ASSERT_EQ(view.ended.size(), 1U);
  EXPECT_EQ(view.jobs[view.ended[0]].phase, Phase::kDone);
  EXPECT_DOUBLE_EQ(view.jobs[view.ended[0]].samples_done, 305.0);
  EXPECT_TRUE(Show(Duration{20}, {Job(1, Duration{305})}).ended.empty());
}

TEST_F(ClusterWorldTest, ShowsAShortJobForOneLook) {
  const auto first = Show(Duration{0}, {Job(1, Duration{20})});
  EXPECT_EQ(first.arrived.size(), 1U);
  EXPECT_TRUE(first.ended.empty());
  const auto view = Show(Duration{10}, {Job(1, Duration{20})});
  ASSERT_EQ(view.ended.size(), 1U);
  EXPECT_DOUBLE_EQ(view.jobs[view.ended[0]].samples_done, 20.0);
}

TEST_F(ClusterWorldTest, EndsAJobThatIsMissing) {
  Show(Duration{0}, {Job(1)});
  const auto view = Show(Duration{40}, {});
  ASSERT_EQ(view.ended.size(), 1U);
  EXPECT_DOUBLE_EQ(view.jobs[view.ended[0]].samples_done, 340.0);
}

TEST_F(ClusterWorldTest, LeavesOutWhatItsGroupCannotHold) {
  StartedJob job = Job(1);
  job.gpus = 33;
  EXPECT_TRUE(Show(Duration{0}, {job}).arrived.empty());
}

TEST_F(ClusterWorldTest, GoesOnWithTheSameIdsAfterARestart) {
  Show(Duration{0}, {Job(1), Job(2)});
  const auto two = world_.IdOf(Job(2).key);
  ClusterWorld again(kNow + Duration{60}, Duration{900}, 1.2, true);
  ASSERT_TRUE(again.Restore(*io::Json::Parse(world_.Keep().Line(), "kept")));
  again.ShowNodes(groups_, snapshot_);
  EXPECT_EQ(*again.site(), *world_.site());
  EXPECT_EQ(again.IdOf(Job(2).key), two);
  again.MoveTo(kNow + Duration{60});
  again.ShowJobs(std::vector{Job(2), Job(3)});
  const auto view = again.Look();
  EXPECT_EQ(view.arrived.size(), 1U);
  EXPECT_EQ(view.ended.size(), 1U);
  EXPECT_GT(*again.IdOf(Job(3).key), *two);
}

}  // namespace
}  // namespace heliostat::controller
