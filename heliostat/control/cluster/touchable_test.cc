#include "heliostat/control/cluster/touchable.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace heliostat::cluster {
namespace {

constexpr Instant kMorning{Duration{1'795'075'200}};
const TouchRules kOurs{.our_partitions = {"main", "night"}, .default_slack_share = 0.0};

ClusterJob FlexibleJob() {
  ClusterJob job;
  job.state = JobState::kWaiting;
  job.partitions = {"main"};
  job.time_limit = std::chrono::hours(2);
  return job;
}

TEST(WhyUntouched, AJobWithSlackOrADeadlineMayBeTouched) {
  EXPECT_EQ(WhyUntouched(FlexibleJob(), {.slack_share = 0.5}, kOurs), std::nullopt);
  EXPECT_EQ(WhyUntouched(FlexibleJob(), {.deadline = kMorning}, kOurs), std::nullopt);
}

TEST(WhyUntouched, AnInteractiveJobIsLeftAlone) {
  ClusterJob job = FlexibleJob();
  job.is_interactive = true;
  EXPECT_EQ(WhyUntouched(job, {.slack_share = 0.5}, kOurs), Untouched::kInteractive);
}

TEST(WhyUntouched, AHeterogeneousJobIsLeftAlone) {
  ClusterJob job = FlexibleJob();
  job.het_leader = 17;
  EXPECT_EQ(WhyUntouched(job, {.slack_share = 0.5}, kOurs), Untouched::kHeterogeneous);
}

TEST(WhyUntouched, AJobInAReservationIsLeftAlone) {
  ClusterJob job = FlexibleJob();
  job.reservation = "weekly";
  EXPECT_EQ(WhyUntouched(job, {.deadline = kMorning}, kOurs), Untouched::kInReservation);
}

TEST(WhyUntouched, AJobThatMayGoElsewhereIsLeftAlone) {
  ClusterJob job = FlexibleJob();
  job.partitions = {"main", "night"};
  EXPECT_EQ(WhyUntouched(job, {.slack_share = 0.5}, kOurs), std::nullopt);
  job.partitions = {"main", "foreign"};
  EXPECT_EQ(WhyUntouched(job, {.slack_share = 0.5}, kOurs), Untouched::kForeignPartition);
  EXPECT_EQ(WhyUntouched(job, {.slack_share = 0.5}, {}), std::nullopt);  // all partitions are ours
  job.partitions = {};
  EXPECT_EQ(WhyUntouched(job, {.slack_share = 0.5}, kOurs), Untouched::kForeignPartition);
}

TEST(WhyUntouched, AnUnlimitedJobNeedsADeadline) {
  ClusterJob job = FlexibleJob();
  job.time_limit.reset();
  EXPECT_EQ(WhyUntouched(job, {.slack_share = 0.5}, kOurs), Untouched::kUnlimited);
  EXPECT_EQ(WhyUntouched(job, {.deadline = kMorning}, kOurs), std::nullopt);
}

TEST(WhyUntouched, AJobThatSaysNothingHasTheDefault) {
  EXPECT_EQ(WhyUntouched(FlexibleJob(), {}, kOurs), Untouched::kSaysNothing);
  EXPECT_EQ(WhyUntouched(FlexibleJob(), {}, {.default_slack_share = 0.25}), std::nullopt);
  // The user's own word is stronger.
  EXPECT_EQ(WhyUntouched(FlexibleJob(), {.slack_share = 0.0}, {.default_slack_share = 0.25}), Untouched::kNoSlack);
}

TEST(WhyUntouched, AJobInAnUnknownStateIsLeftAlone) {
  ClusterJob job = FlexibleJob();
  job.state = JobState::kUnknown;
  EXPECT_EQ(WhyUntouched(job, {.slack_share = 0.5}, kOurs), Untouched::kUnknownState);
}

RC_GTEST_PROP(WhyUntouchedLaws, MoreWishesNeverMakeAJobLessTouchable, ()) {
  ClusterJob job = FlexibleJob();
  job.is_interactive = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) job.het_leader = 1;
  if (*rc::gen::arbitrary<bool>()) job.reservation = "r";
  if (*rc::gen::arbitrary<bool>()) job.partitions = {"foreign"};
  if (*rc::gen::arbitrary<bool>()) job.time_limit.reset();
  const bool without = WhyUntouched(job, {}, kOurs).has_value();
  const bool with_slack = WhyUntouched(job, {.slack_share = 0.1}, kOurs).has_value();
  const bool with_both = WhyUntouched(job, {.deadline = kMorning, .slack_share = 0.1}, kOurs).has_value();
  RC_ASSERT(without >= with_slack);
  RC_ASSERT(with_slack >= with_both);
}

TEST(WhyUntouched, EveryReasonHasANameAndASentence) {
  for (int i = 0; i <= static_cast<int>(Untouched::kSaysNothing); ++i) {
    EXPECT_FALSE(NameOf(static_cast<Untouched>(i)).empty());
    EXPECT_FALSE(Sentence(static_cast<Untouched>(i)).empty());
  }
}

}  // namespace
}  // namespace heliostat::cluster
