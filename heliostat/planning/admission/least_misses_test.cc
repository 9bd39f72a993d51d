#include "heliostat/planning/admission/least_misses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/planning/plan/testing/small_scenario.h"

namespace heliostat::admission {
namespace {

using plan::testing::JobOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Eight GPUs; a worker makes 36000 samples per hour.
scenario::Scenario Empty() {
  scenario::Scenario s = plan::testing::SmallScenario();
  s.jobs.clear();
  s.services.clear();
  s.groups.resize(1);
  s.groups[0] = plan::testing::GroupOf("a40", "A40", 2, 4);
  return s;
}

TEST(LeastMisses, AJobThatIsTooLongForItsWindowMissesAlone) {
  scenario::Scenario s = Empty();
  s.jobs = {JobOf("long", 0, 1, 36000.0 * 100), JobOf("short", 0, 1, 3600.0)};
  const MissBound bound = LeastMisses(s, {});
  EXPECT_EQ(bound.least, 1U);
  EXPECT_THAT(bound.alone, ElementsAre(0U));
  EXPECT_THAT(bound.shortages, IsEmpty());
}

TEST(LeastMisses, JobsThatNeedMoreGpuTimeThanThereIsMiss) {
  scenario::Scenario s = Empty();
  // Each needs more than 0.9 of 8 GPU-hours, so only one can be done within the hour.
  for (const char* id : {"a", "b", "c"}) s.jobs.push_back(JobOf(id, 0, 1, 0.8 * 8 * 0.85 * 36000.0));
  EXPECT_EQ(LeastMisses(s, {}).least, 2U);
  ASSERT_FALSE(LeastMisses(s, {}).shortages.empty());
  for (scenario::Job& job : s.jobs) job.deadline = plan::testing::At(3);
  EXPECT_EQ(LeastMisses(s, {}).least, 0U);
}

TEST(LeastMisses, SpansThatDoNotOverlapAddUp) {
  scenario::Scenario s = Empty();
  for (const double hour : {0.0, 2.0}) {
    for (int i = 0; i < 2; ++i) s.jobs.push_back(JobOf("j", hour, hour + 1, 0.7 * 8 * 0.85 * 36000.0));
  }
  EXPECT_EQ(LeastMisses(s, {}).least, 2U);
}

TEST(LeastMisses, JobsWithoutADeadlineCountOnlyWhereTheyMustBeDone) {
  scenario::Scenario s = Empty();
  s.jobs = {JobOf("any time", 0, std::nullopt, 36000.0 * 1e4)};
  EXPECT_EQ(LeastMisses(s, {}).least, 0U);
  EXPECT_EQ(LeastMisses(s, {.finish_best_effort = true}).least, 1U);
}

}  // namespace
}  // namespace heliostat::admission
