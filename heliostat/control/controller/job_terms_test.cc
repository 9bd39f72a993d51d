#include "heliostat/control/controller/job_terms.h"

#include <gtest/gtest.h>

namespace heliostat::controller {
namespace {

using cluster::ClusterJob;
using cluster::JobState;

constexpr Instant kNow{std::chrono::seconds{1'795'000'000}};

class JobTermsTest : public ::testing::Test {
 protected:
  ClusterJob& Add(std::int64_t number, const std::string& comment, JobState state = JobState::kWaiting) {
    ClusterJob job;
    job.key = {number, {}, kNow - Duration{60}};
    job.user = "ann";
    job.partitions = {"main"};
    job.comment = comment;
    job.state = state;
    job.time_limit = Duration{10000};
    snapshot_.time = kNow;
    snapshot_.jobs.push_back(std::move(job));
    return snapshot_.jobs.back();
  }
  JobTerms Terms(std::int64_t number) {
    for (const auto& [key, terms] :
         TermsOf(snapshot_, config_, [this](const ClusterJob& job) { return PredictLength(job, lengths_); })) {
      if (key.number == number) return terms;
    }
    ADD_FAILURE() << "no job " << number;
    return {};
  }

  Config config_;
  cluster::ClusterSnapshot snapshot_;
  job_length::LengthModel lengths_;
};

TEST_F(JobTermsTest, GiveSlackAsAShareOfTheTimeLimit) {
  Add(1, "heliostat:slack=50%");
  EXPECT_EQ(Terms(1).slack, Duration{5000});
  EXPECT_EQ(Terms(1).LatestStart(), kNow + Duration{5000});
}

TEST_F(JobTermsTest, LeaveAJobAloneThatSaysNothing) {
  Add(1, "my own words");
  EXPECT_FALSE(Terms(1).may_wait());
  EXPECT_EQ(Terms(1).untouched, cluster::Untouched::kSaysNothing);
}

TEST_F(JobTermsTest, TakeTheDefaultOfThePartition) {
  config_.default_slack = 0.1;
  config_.partition_slack["long"] = 0.3;
  Add(1, "");
  Add(2, "").partitions = {"long"};
  Add(3, "heliostat:slack=0%");
  EXPECT_EQ(Terms(1).slack, Duration{1000});
  EXPECT_EQ(Terms(2).slack, Duration{3000});
  EXPECT_EQ(Terms(3).slack, Duration{0});
}

TEST_F(JobTermsTest, KeepADeadlineByTheLongestLikelyRun) {
  Add(1, "heliostat:deadline=" + FormatInstant(kNow + Duration{14000}));
  EXPECT_EQ(Terms(1).slack, Duration{4000});
  Add(2, "heliostat:slack=10%;deadline=" + FormatInstant(kNow + Duration{14000}));
  EXPECT_EQ(Terms(2).slack, Duration{1000});
}

TEST_F(JobTermsTest, SayThatADeadlineIsOutOfReach) {
  Add(1, "heliostat:deadline=" + FormatInstant(kNow - Duration{60}));
  EXPECT_FALSE(Terms(1).may_wait());
  EXPECT_NE(Terms(1).deadline_flaw.find("leaves no time"), std::string::npos);
}

TEST_F(JobTermsTest, SayWhatIsWrongWithAComment) {
  Add(1, "heliostat:slak=50%");
  EXPECT_FALSE(Terms(1).may_wait());
  EXPECT_NE(Terms(1).comment_flaw.find("slak"), std::string::npos);
}

TEST_F(JobTermsTest, StayWithinTheTimeAtWhichTheClusterCancels) {
  Add(1, "heliostat:slack=100%").kill_at = kNow + Duration{12000};
  EXPECT_EQ(Terms(1).slack, Duration{2000});
}

TEST_F(JobTermsTest, BeginWhereItsUserWantsToBegin) {
  Add(1, "heliostat:slack=50%").eligible = kNow + Duration{700};
  EXPECT_EQ(Terms(1).start, kNow + Duration{700});
}

TEST_F(JobTermsTest, GiveAChainTheSlackOfItsTightestJob) {
  Add(1, "heliostat:slack=90%");
  Add(2, "heliostat:slack=50%").dependencies = {"afterok:1"};
  Add(3, "heliostat:slack=20%").dependencies = {"afterany:2(unfulfilled)"};
  EXPECT_EQ(Terms(1).slack, Duration{2000});
  EXPECT_EQ(Terms(1).held_by, "2");
  EXPECT_EQ(Terms(2).slack, Duration{2000});
  Add(4, "").dependencies = {"afterok:1"};
  EXPECT_FALSE(Terms(1).may_wait());
}

TEST_F(JobTermsTest, EndForJobsThatWaitForEachOther) {
  Add(1, "heliostat:slack=90%").dependencies = {"afterok:2"};
  Add(2, "heliostat:slack=50%").dependencies = {"afterok:1"};
  EXPECT_LE(Terms(1).slack, Duration{9000});
}

TEST_F(JobTermsTest, NeverLoosenAnInteractiveJob) {
  Add(1, "heliostat:slack=90%").is_interactive = true;
  EXPECT_FALSE(Terms(1).may_wait());
}

TEST_F(JobTermsTest, LearnFromTheSameUserAndName) {
  for (int i = 0; i < 40; ++i) {
    lengths_.Learn({{"ann", "", "train", 0, Duration{10000}}, Duration{3000 + i}}, std::nullopt);
  }
  Add(1, "heliostat:deadline=" + FormatInstant(kNow + Duration{14000})).name = "train";
  EXPECT_GT(Terms(1).slack, Duration{9000});
}

TEST(EndedJobs, AreThoseThatHaveRun) {
  ClusterJob job;
  EXPECT_FALSE(EndedJobOf(job));
  job.start = kNow;
  job.end = kNow + Duration{50};
  job.end_kind = cluster::JobEnd::kTimeLimit;
  EXPECT_EQ(EndedJobOf(job)->ending, job_length::Ending::kTimedOut);
  job.end_kind = cluster::JobEnd::kRequeued;
  EXPECT_FALSE(EndedJobOf(job));
}

}  // namespace
}  // namespace heliostat::controller
