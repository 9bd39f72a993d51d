#include "heliostat/planning/decomposition/to_plan.h"

#include <gtest/gtest.h>

#include "heliostat/planning/decomposition/improve.h"
#include "heliostat/planning/decomposition/testing/made.h"
#include "heliostat/planning/plan/check.h"
#include "heliostat/planning/plan/progress.h"

namespace heliostat::decomposition {
namespace {

using testing::Made;
using testing::Small;

plan::Plan FilledPlan(const Made& made, DraftPlan& draft) {
  Improver improver(draft);
  improver.Fill(DraftPlan::Rents(made.model.groups.size(), std::vector<double>(made.model.slots, 0.0)),
                [] { return false; });
  return ToPlan(made.scenario, draft);
}

TEST(ToPlan, AFilledBoardIsAPlanThatKeepsEverything) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    const Made made(Small(seed));
    DraftPlan draft(made.model);
    const plan::Plan plan = FilledPlan(made, draft);
    EXPECT_TRUE(plan::Violations(made.scenario, {}, plan).empty()) << seed;
  }
}

// The plan makes the same samples as the pieces of the search.
TEST(ToPlan, SegmentsMakeTheSamplesOfTheSchedule) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    const Made made(Small(seed));
    DraftPlan draft(made.model);
    const plan::Plan plan = FilledPlan(made, draft);
    for (std::size_t j = 0; j < made.model.jobs.size(); ++j) {
      const double planned = plan::SamplesDone(made.scenario, j, plan.jobs[j]);
      EXPECT_NEAR(planned, SamplesOf(made.model.jobs[j], draft.ScheduleOf(j)), 1e-6 * (1.0 + planned)) << seed;
    }
  }
}

// The same where a start takes longer than a slot, and so do several slots of it.
TEST(ToPlan, LongStartsArePaidInFull) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    scenario::Shape shape = Small(seed);
    shape.step = Duration(300);
    shape.slots = 200;
    scenario::Scenario slow = scenario::Generate(shape);
    for (scenario::Job& job : slow.jobs) job.resume = Duration(seed % 2 == 0 ? 400 : 700);
    const Made made(std::move(slow));
    DraftPlan draft(made.model);
    const plan::Plan plan = FilledPlan(made, draft);
    for (std::size_t j = 0; j < made.model.jobs.size(); ++j) {
      const double planned = plan::SamplesDone(made.scenario, j, plan.jobs[j]);
      EXPECT_TRUE(draft.IsPlaced(j)) << seed;
      EXPECT_GE(planned, SamplesOf(made.model.jobs[j], draft.ScheduleOf(j)) * (1.0 - 1e-9)) << seed;
    }
    EXPECT_TRUE(plan::Violations(made.scenario, {}, plan).empty()) << seed;
  }
}

TEST(ToPlan, PiecesOfOneRunBecomeOneSegment) {
  const Made made(Small(2));
  const JobModel& job = made.model.jobs[0];
  ASSERT_GE(job.slot_count, 3U);
  const int step = made.model.step_s;
  const std::size_t slot = job.first_slot + 1;
  const Schedule run{0, {{slot, 0, 0, 0, step, 0, 0}, {slot + 1, 0, 0, 0, step / 2, 0, 0}}};
  const plan::JobPlan plan = SegmentsOf(made.scenario, job, run);
  ASSERT_EQ(plan.segments.size(), 1U);
  EXPECT_EQ(plan.segments[0].span.begin, made.scenario.SlotSpan(slot).begin);
  EXPECT_EQ(plan.segments[0].span.end, made.scenario.SlotSpan(slot + 1).begin + Duration(step / 2));
  EXPECT_TRUE(SegmentsOf(made.scenario, job, {}).segments.empty());
}

TEST(ToPlan, ASlowerEndIsASegmentOfItsOwn) {
  const Made made(Small(2));
  const JobModel& job = made.model.jobs[0];
  const WorkerLevel& level = job.choices[0].levels[0];
  ASSERT_GE(level.hull.size(), 2U);
  const std::size_t slot = job.first_slot + 1;
  const plan::JobPlan plan = SegmentsOf(made.scenario, job, {0, {{slot, 0, 1, 100, 1000, 300, 50}}});
  ASSERT_EQ(plan.segments.size(), 3U);
  const Instant begin = made.scenario.SlotSpan(slot).begin;
  EXPECT_EQ(plan.segments[0].span.end, begin + Duration(150)) << "resuming, at the lowest power";
  EXPECT_EQ(plan.segments[0].point, level.hull[0].point);
  EXPECT_EQ(plan.segments[1].span.end, begin + Duration(700));
  EXPECT_EQ(plan.segments[1].point, level.hull[1].point);
  EXPECT_EQ(plan.segments[2].span.end, begin + Duration(1000));
  EXPECT_EQ(plan.segments[2].point, level.hull[0].point);
}

TEST(ToPlan, WithoutRightSizingEveryNodeStaysOn) {
  plan::Limits limits;
  limits.right_sizing = false;
  const Made made(Small(3), testing::kCarbon, limits);
  DraftPlan draft(made.model);
  const plan::Plan plan = FilledPlan(made, draft);
  for (std::size_t g = 0; g < made.scenario.groups.size(); ++g) {
    for (const int on : plan.nodes_on[g]) EXPECT_EQ(on, made.scenario.groups[g].nodes);
  }
}

TEST(ToPlan, AnEmptyBoardIsAPlanWithEveryNodeAsleep) {
  scenario::Shape shape = Small(3);
  shape.services = 0;
  const Made made(shape);
  const plan::Plan plan = ToPlan(made.scenario, DraftPlan(made.model));
  for (const auto& nodes : plan.nodes_on) {
    for (std::size_t t = 1; t < nodes.size(); ++t) EXPECT_EQ(nodes[t], 0);
  }
}

}  // namespace
}  // namespace heliostat::decomposition
