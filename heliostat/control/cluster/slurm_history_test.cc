#include "heliostat/control/cluster/slurm_history.h"

#include <gmock/gmock.h>

#include "heliostat/control/cluster/testing/scripted_slurm.h"

namespace heliostat::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Instant kFirstEnd{Duration{1'795'020'004}};
constexpr Interval kAll{Instant{Duration{0}}, Instant{Duration{2'000'000'000}}};

std::vector<std::string> Names(const ParsedJobs& parsed) {
  std::vector<std::string> names;
  for (const ClusterJob& job : parsed.jobs) names.push_back(job.name);
  return names;
}

TEST(SlurmHistory, HasWhatEndedInTheOrderOfEnds) {
  const auto parsed = ParseHistory(testing::Recorded("sacct.txt"), "¦", kAll);
  ASSERT_TRUE(parsed) << parsed.error().Line();
  EXPECT_THAT(parsed->problems, IsEmpty());
  EXPECT_THAT(Names(*parsed), ElementsAre("done", "failed", "cancelled", "again"));
  const ClusterJob& done = parsed->jobs[0];
  EXPECT_EQ(done.key, (JobKey{1, {}, kFirstEnd - Duration(2)}));
  EXPECT_EQ(done.end_kind, JobEnd::kCompleted);
  EXPECT_EQ(done.end, kFirstEnd);
  EXPECT_EQ(done.time_limit, std::chrono::minutes(5));
  EXPECT_EQ(done.gpus_requested, (GpusByType{{"", 1}}));
  EXPECT_EQ(done.gpus_allocated, (GpusByType{{"h100", 1}}));
  EXPECT_THAT(done.nodes, ElementsAre("gpu3"));
  EXPECT_EQ(done.comment, "heliostat:slack=50%");
  EXPECT_EQ(parsed->jobs[2].end_kind, JobEnd::kCancelled);
  EXPECT_EQ(parsed->jobs[2].run_time, Duration(3));
  EXPECT_EQ(parsed->jobs[3].end_kind, JobEnd::kRequeued);  // its first run; the second has not ended
}

TEST(SlurmHistory, LeavesOutWhatEndedOutsideTheSpan) {
  const std::string text = testing::Recorded("sacct.txt");
  EXPECT_THAT(Names(*ParseHistory(text, "¦", {kFirstEnd + Duration(1), kFirstEnd + Duration(60)})),
              ElementsAre("cancelled", "again"));
  EXPECT_THAT(Names(*ParseHistory(text, "¦", {kFirstEnd, kFirstEnd + Duration(1)})), ElementsAre("done", "failed"));
}

TEST(SlurmHistory, RefusesOneThatBreaksOff) {
  const std::string text = testing::Recorded("sacct.txt");
  const auto parsed = ParseHistory(std::string_view(text).substr(0, text.size() - 2), "¦", kAll);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace heliostat::cluster
