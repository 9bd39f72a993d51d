#include "heliostat/planning/milp/layout.h"

#include <gtest/gtest.h>

#include "heliostat/planning/milp/complete.h"
#include "heliostat/planning/milp/testing/any_scenario.h"

namespace heliostat::milp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the tiny clusters

class LayoutTest : public ::testing::Test {
 protected:
  LayoutTest() : scenario_(Cluster({300, 200, 100}, 2, 4)) {
    AddPoint(scenario_, 1, 10.0, 120.0);
    AddPoint(scenario_, 1, 14.0, 220.0);
    AddPoint(scenario_, 4, 36.0, 480.0);
    AddJob(scenario_, 36000.0, 3.0);
    AddJob(scenario_, 36000.0, 3.0);
    plan_ = plan::EmptyPlan(scenario_);
    plan_.nodes_on[0] = {1, 1, 0};
  }

  Layout Laid() { return {problem_, plan_, {0.3, 0.2, 0.1}}; }
  static Interval Hours(double begin, double end) {
    return {kStart + Duration{static_cast<std::int64_t>(begin * 3600)},
            kStart + Duration{static_cast<std::int64_t>(end * 3600)}};
  }

  scenario::Scenario scenario_;
  plan::Problem problem_{scenario_, kCarbon, {}};
  plan::Plan plan_;
};

TEST_F(LayoutTest, OpeningsAreWhereGpusAreFreeAndTheJobDoesNotRun) {
  Layout layout = Laid();
  layout.Add(0, {Hours(0, 1), 0, 2});  // all GPUs of the first hour
  EXPECT_EQ(layout.Openings(1, 0, Hours(0, 3), 1), (std::vector<Interval>{Hours(1, 2)}));
  EXPECT_EQ(layout.Openings(0, 0, Hours(0, 3), 4), (std::vector<Interval>{Hours(1, 2)}));
  EXPECT_EQ(layout.Openings(1, 0, Hours(0, 3), 1, true), (std::vector<Interval>{Hours(0, 3)}));
  layout.Bar(1, Hours(1.5, 3));
  EXPECT_EQ(layout.Openings(1, 0, Hours(0, 3), 1), (std::vector<Interval>{Hours(1, 1.5)}));
}

TEST_F(LayoutTest, WhatIsRemovedIsFreeAgain) {
  Layout layout = Laid();
  layout.Add(0, {Hours(0, 2), 0, 2});
  EXPECT_TRUE(layout.Openings(1, 0, Hours(0, 2), 1).empty());
  layout.Remove(0, Hours(0.5, 1));
  EXPECT_EQ(layout.segments(0).size(), 2U);
  EXPECT_EQ(layout.Openings(1, 0, Hours(0, 2), 4), (std::vector<Interval>{Hours(0.5, 1)}));
  EXPECT_DOUBLE_EQ(layout.SamplesOf(0), 1.5 * 36.0 * 3600.0);
}

TEST_F(LayoutTest, TurnsOnNodesWhileThereAreSome) {
  Layout layout = Laid();
  EXPECT_GT(layout.NodeCost(0, Hours(2, 3), 4), 0.0);
  EXPECT_EQ(layout.NodeCost(0, Hours(0, 1), 4), 0.0) << "it fits on those that are on";
  EXPECT_TRUE(layout.MakeRoom(0, Hours(1.5, 3), 8));
  EXPECT_FALSE(layout.MakeRoom(0, Hours(0, 1), 9));
  const plan::Plan plan = layout.Take();
  EXPECT_EQ(plan.nodes_on[0][1], 2);
  EXPECT_EQ(plan.nodes_on[0][2], 2);
}

TEST_F(LayoutTest, ATurnedOffNodeTakesItsGpusAlong) {
  Layout layout = Laid();
  layout.TurnOff(0, 1);
  EXPECT_EQ(layout.Openings(0, 0, Hours(0, 3), 1), (std::vector<Interval>{Hours(0, 1)}));
  EXPECT_EQ(layout.Take().nodes_on[0][1], 0);
}

TEST_F(LayoutTest, AnotherPointChangesWhatIsMadeAndSegmentsAreJoined) {
  Layout layout = Laid();
  layout.Add(0, {Hours(0, 1), 0, 0});
  layout.Add(0, {Hours(1, 2), 0, 0});
  layout.Change(0, Hours(0.5, 1.5), 1);
  EXPECT_DOUBLE_EQ(layout.SamplesOf(0), 3600.0 * (10.0 + 14.0));
  layout.Change(0, Hours(0.5, 1.5), 0);
  const plan::Plan plan = layout.Take();
  ASSERT_EQ(plan.jobs[0].segments.size(), 1U);
  EXPECT_EQ(plan.jobs[0].segments[0].span, Hours(0, 2));
}

TEST_F(LayoutTest, AJobIsCompletedWhereThatIsCheapest) {
  Layout layout = Laid();
  Complete(layout, 0, 0, 36000.0, false);
  EXPECT_GE(layout.SamplesOf(0), 36000.0 * (1.0 - 1e-6));
  for (const plan::Segment& segment : layout.segments(0)) EXPECT_GE(segment.span.begin, Hours(1, 2).begin);
  Complete(layout, 1, 0, 36000.0, true);
  EXPECT_GE(layout.SamplesOf(1), 36000.0 * (1.0 - 1e-6));
}

TEST_F(LayoutTest, WhatDoesNotFitIsDoneAsFarAsItGoes) {
  Layout layout = Laid();
  Complete(layout, 0, 0, 1e9, true);
  EXPECT_GT(layout.SamplesOf(0), 36000.0);
  EXPECT_LT(layout.SamplesOf(0), 1e9);
  plan::Plan plan = layout.Take();
  for (const plan::Segment& segment : plan.jobs[0].segments) {
    EXPECT_GE(segment.span.begin, kStart);
    EXPECT_LE(segment.span.end, scenario_.end());
  }
}

TEST_F(LayoutTest, TrimmingTakesTheDearestFirst) {
  Layout layout = Laid();
  layout.Add(0, {Hours(0, 1), 0, 0});
  layout.Add(0, {Hours(2, 3), 0, 0});
  Trim(layout, 0, 36000.0);
  EXPECT_GE(layout.SamplesOf(0), 36000.0 * (1.0 - 1e-6));
  EXPECT_LE(layout.SamplesOf(0), 36000.0 + 14.0);
  ASSERT_FALSE(layout.segments(0).empty());
  EXPECT_EQ(layout.segments(0).front().span, Hours(2, 3)) << "the first hour is dearer";
}

// For any target: a job makes no fewer samples than the smaller of target and former samples, and a valid plan stays
// valid.
TEST(Trim, KeepsWhatIsWantedAndBreaksNothing) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const scenario::Scenario s = AnyScenario(random);
    const plan::Problem problem{s, kCarbon, {}};
    const plan::Plan plan = AnyPlan(s, random);
    if (!plan::Violations(s, {}, plan).empty()) continue;
    std::vector<double> worth;
    for (const CarbonIntensity intensity : s.carbon) worth.push_back(InGramsPerKwh(intensity) / 1000.0);
    Layout layout(problem, plan, worth);
    for (std::size_t job = 0; job < s.jobs.size(); ++job) Trim(layout, job, s.jobs[job].samples);
    const plan::Plan trimmed = layout.Take();
    ASSERT_TRUE(plan::Violations(s, {}, trimmed).empty());
    for (std::size_t job = 0; job < s.jobs.size(); ++job) {
      ASSERT_TRUE(plan::SamplesDone(s, job, trimmed.jobs[job]) <= plan::SamplesDone(s, job, plan.jobs[job]) + 1e-6);
    }
  }
}

}  // namespace
}  // namespace heliostat::milp
