#include "heliostat/control/cluster/slurm_queue.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "heliostat/control/cluster/testing/scripted_slurm.h"

namespace heliostat::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Recorded;
using testing::WithSeparator;

constexpr Instant kSubmit{Duration{1'795'020'002}};

// The jobs of the recorded queue, by name; an array and a heterogeneous job have several.
class RecordedQueue : public ::testing::Test {
 protected:
  void SetUp() override {
    auto parsed = ParseQueue(Recorded("squeue.txt"), "¦");
    ASSERT_TRUE(parsed) << parsed.error().Line();
    EXPECT_THAT(parsed->problems, IsEmpty());
    jobs_ = std::move(parsed->jobs);
  }
  std::vector<ClusterJob> All(const std::string& name) const {
    std::vector<ClusterJob> all;
    for (const ClusterJob& job : jobs_) {
      if (job.name == name) all.push_back(job);
    }
    return all;
  }
  ClusterJob One(const std::string& name) const {
    const auto all = All(name);
    EXPECT_EQ(all.size(), 1u) << name;
    return all.empty() ? ClusterJob{} : all[0];
  }

  std::vector<ClusterJob> jobs_;
};

TEST_F(RecordedQueue, HasEveryFieldOfARunningJob) {
  const ClusterJob job = One("plain");
  EXPECT_EQ(job.key, (JobKey{3, {}, kSubmit}));
  EXPECT_EQ(job.run_number, 3);
  EXPECT_EQ(job.user, "root");
  EXPECT_EQ(job.account, "root");
  EXPECT_THAT(job.partitions, ElementsAre("main"));
  EXPECT_EQ(job.comment, "heliostat:deadline=2026-11-19T08:00:00Z");
  EXPECT_EQ(job.admin_comment, "heliostat:seen");
  EXPECT_EQ(job.state, JobState::kRunning);
  EXPECT_EQ(job.reason, "");
  EXPECT_EQ(job.eligible, kSubmit);
  EXPECT_EQ(job.start, kSubmit + Duration(2));
  EXPECT_EQ(job.end, std::nullopt);
  EXPECT_EQ(job.run_time, Duration(16));
  EXPECT_EQ(job.kill_at, std::nullopt);
  EXPECT_EQ(job.time_limit, std::chrono::minutes(10));
  EXPECT_EQ(job.node_count, 1);
  EXPECT_EQ(job.cpus, 1);
  EXPECT_THAT(job.nodes, ElementsAre("gpu3"));
  EXPECT_EQ(job.gpus_requested, (GpusByType{{"", 2}}));
  EXPECT_EQ(job.gpus_allocated, (GpusByType{{"h100", 2}}));
  EXPECT_FALSE(job.is_exclusive);
  EXPECT_FALSE(job.is_interactive);
  EXPECT_FALSE(job.is_heterogeneous());
  EXPECT_TRUE(job.may_requeue);
  EXPECT_EQ(job.priority, 1);
}

TEST_F(RecordedQueue, ElementsOfAnArrayHaveKeysOfTheirOwn) {
  const auto elements = All("array");
  ASSERT_EQ(elements.size(), 3u);
  std::map<int, JobState> states;
  for (const ClusterJob& job : elements) {
    EXPECT_EQ(job.key.number, 4);
    ASSERT_TRUE(job.is_array_element());
    states[*job.key.element] = job.state;
    EXPECT_EQ(job.gpus_requested, (GpusByType{{"a40", 1}}));
  }
  EXPECT_EQ(states,
            (std::map<int, JobState>{{1, JobState::kRunning}, {2, JobState::kWaiting}, {3, JobState::kWaiting}}));
  EXPECT_EQ(NumberText(elements[0].key), "4_2");
}

TEST_F(RecordedQueue, ComponentsOfAHeterogeneousJobNameTheirLeader) {
  const auto components = All("het");
  ASSERT_EQ(components.size(), 2u);
  EXPECT_EQ(components[0].key.number, 8);
  EXPECT_EQ(components[1].key.number, 9);
  for (const ClusterJob& job : components) EXPECT_EQ(job.het_leader, 8);
  EXPECT_EQ(components[0].gpus_requested, (GpusByType{{"", 2}}));  // one for each of two tasks
}

TEST_F(RecordedQueue, SaysWhyJobsWait) {
  EXPECT_EQ(One("held").state, JobState::kHeld);
  EXPECT_TRUE(One("held").is_exclusive);
  EXPECT_EQ(One("held").time_limit, std::chrono::hours(24));
  EXPECT_EQ(One("held").eligible, std::nullopt);
  const ClusterJob later = One("later");
  EXPECT_EQ(later.state, JobState::kWaiting);
  EXPECT_EQ(later.reason, "BeginTime");
  EXPECT_EQ(later.eligible, kSubmit + std::chrono::hours(1));
  EXPECT_EQ(later.time_limit, std::nullopt);
  EXPECT_FALSE(later.may_requeue);
  EXPECT_THAT(later.partitions, ElementsAre("main", "other"));
  const ClusterJob chain = One("chain");
  EXPECT_THAT(chain.dependencies, ElementsAre("afterok:3"));
  EXPECT_EQ(chain.nice, 100);
  EXPECT_EQ(chain.gpus_requested, (GpusByType{{"a40", 4}}));  // two on each of two nodes
  EXPECT_THAT(chain.gpus_allocated, IsEmpty());
  EXPECT_EQ(One("reserved").reservation, "weekly");
}

TEST_F(RecordedQueue, KnowsOtherStates) {
  EXPECT_EQ(One("paused").state, JobState::kSuspended);
  EXPECT_EQ(One("paused").gpus_allocated, (GpusByType{{"h100", 1}}));
  EXPECT_EQ(One("paused").run_time, Duration(3));
  EXPECT_TRUE(One("inter").is_interactive);
  EXPECT_EQ(One("done").end_kind, JobEnd::kCompleted);
  EXPECT_EQ(One("failed").end_kind, JobEnd::kFailed);
  EXPECT_EQ(One("cancelled").end_kind, JobEnd::kCancelled);
  EXPECT_EQ(One("cancelled").end, kSubmit + Duration(5));
}

TEST_F(RecordedQueue, ARequeuedJobHasANewSubmitTime) {
  const ClusterJob again = One("again");
  EXPECT_EQ(again.restarts, 1);
  EXPECT_EQ(again.key, (JobKey{14, {}, kSubmit + Duration(5)}));
}

TEST_F(RecordedQueue, ACommentCannotAddAJob) {
  EXPECT_EQ(One("evil").comment, "x\n99|99|N/A\x1fy");
  EXPECT_EQ(jobs_.size(), 17u);
}

TEST(SlurmQueue, NamesEveryColumnInItsQuestion) {
  const std::string format = QueueFormat(
      "\x1f"
      "0a");
  EXPECT_THAT(format, ::testing::StartsWith("JobID:\x1f"
                                            "0a,JobArrayID:\x1f"
                                            "0a,"));
  EXPECT_EQ(format.find(",:"), std::string::npos);
}

TEST(SlurmQueue, RefusesAQueueThatBreaksOff) {
  const std::string text = Recorded("squeue.txt");
  for (const std::size_t size : {text.size() - 1, text.size() - 40, text.size() / 2}) {
    const auto parsed = ParseQueue(std::string_view(text).substr(0, size), "¦");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().code, ErrorCode::kCorrupt);
  }
  EXPECT_TRUE(ParseQueue("", "¦")->jobs.empty());
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST(SlurmQueue, LeavesOutWhatItCannotRead) {
  const std::string text = Recorded("squeue.txt");
  const auto unknown = ParseQueue(Replaced(text, "SUSPENDED", "DREAMING"), "¦");
  ASSERT_TRUE(unknown);
  EXPECT_THAT(unknown->problems, ElementsAre("job 13: its state 'DREAMING' is not known; it is left alone"));
  EXPECT_EQ(unknown->jobs.size(), 17u);
  const auto twice = ParseQueue(text + text, "¦");
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->jobs.size(), 17u);
  EXPECT_THAT(twice->problems, ::testing::Each(HasSubstr("is listed twice")));
  const auto no_time = ParseQueue(Replaced(text, "1795020003", "soon"), "¦");
  ASSERT_TRUE(no_time);
  EXPECT_EQ(no_time->jobs.size(), 16u);
  EXPECT_THAT(no_time->problems, ElementsAre(HasSubstr("number '15' and the submit time 'soon'")));
}

}  // namespace
}  // namespace heliostat::cluster
