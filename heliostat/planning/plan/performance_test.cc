#include "heliostat/planning/plan/performance.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "heliostat/planning/plan/score.h"
#include "heliostat/planning/plan/testing/any_plan.h"

namespace heliostat::plan {
namespace {

using testing::At;

Segment From(double from_h, double to_h, std::size_t point, std::size_t group = 0) {
  return {{At(from_h), At(to_h)}, group, point};
}

// "one" may run for the whole day of six hours; resuming takes 120 s.
scenario::Scenario OneJob(double samples) {
  scenario::Scenario s = testing::IdleCluster();
  s.jobs = {testing::JobOf("one", 0, 6, samples)};
  return s;
}

TEST(SamplesDoneTest, AStartARestartAndAChangeOfWorkersLoseTheResumeTime) {
  const scenario::Scenario s = OneJob(1e9);
  // Points 1 and 2: 10 samples/s with one worker, 19 with two.
  EXPECT_NEAR(SamplesDone(s, 0, {{From(0, 1, 1)}}), 10 * 3480, 1e-6);
  EXPECT_NEAR(SamplesDone(s, 0, {{From(0, 1, 1), From(2, 3, 1)}}), 10 * 3480 * 2, 1e-6);
  EXPECT_NEAR(SamplesDone(s, 0, {{From(0, 1, 1), From(1, 2, 2)}}), 10 * 3480 + 19 * 3480, 1e-6);
}

TEST(SamplesDoneTest, AChangeOfTheOperatingPointAloneLosesNothing) {
  const scenario::Scenario s = OneJob(1e9);
  EXPECT_NEAR(SamplesDone(s, 0, {{From(0, 1, 1), From(1, 2, 0)}}), 10 * 3480 + 7 * 3600, 1e-6);
}

TEST(SamplesDoneTest, WhatAShortSegmentCouldNotPayTheNextOneOwes) {
  scenario::Scenario s = OneJob(1e9);
  s.jobs[0].resume = Duration{1800};
  EXPECT_NEAR(SamplesDone(s, 0, {{From(0, 0.25, 1), From(0.25, 1, 0)}}), 7 * 1800, 1e-6);
  EXPECT_NEAR(SamplesDone(s, 0, {{From(0, 0.25, 1), From(0.5, 1, 1)}}), 0, 1e-6)
      << "resuming starts again after a pause";
}

TEST(FinishTest, IsTheSecondInWhichTheLastSampleIsMade) {
  const scenario::Scenario s = OneJob(1005);
  const scenario::Job& job = s.jobs[0];
  EXPECT_EQ(FinishOf(job, PiecesOf(s, job, {{From(0, 1, 1)}})), At(0) + Duration{120 + 101});
  EXPECT_EQ(FinishOf(job, PiecesOf(s, job, {{From(0, 0.05, 1)}})), std::nullopt);
  EXPECT_EQ(FinishOf(job, {}), std::nullopt);
}

TEST(FinishTest, ForgivesWhatTheRefereeForgives) {
  const scenario::Scenario s = OneJob(600.0003);
  const JobPlan sixty_seconds{{{{At(0), At(0) + Duration{180}}, 0, 1}}};
  EXPECT_EQ(FinishOf(s.jobs[0], PiecesOf(s, s.jobs[0], sixty_seconds)), At(0) + Duration{180});
}

TEST(ThroughputTest, CountsReferenceGpuHoursOfSamplesAndRequests) {
  scenario::Scenario s = OneJob(1e9);
  s.jobs[0].resume = Duration{0};
  s.services = {testing::ServiceOf("front", {40, 0, 0, 0, 0, 100})};
  Plan plan = EmptyPlan(s);
  plan.jobs[0].segments = {From(0, 2, 2)};
  plan.services[0].slots[0] = testing::Serve(s, 0, 0, 0, 0, 1);
  // 2 h at 19 samples/s of a reference 10; 1 h at 40 requests/s of a reference 100; the last slot is not served.
  EXPECT_NEAR(PerformanceOf(s, plan), 3.8 + 0.4, 1e-9);
}

TEST(ThroughputTest, WorkBeyondTheJobsSamplesIsWorthNothing) {
  scenario::Scenario s = OneJob(36000);
  Plan plan = EmptyPlan(s);
  plan.jobs[0].segments = {From(0, 6, 4)};
  EXPECT_NEAR(PerformanceOf(s, plan), 1.0, 1e-9);
}

TEST(HeadroomTest, IsTheMeanShareOfTheWindowThatIsLeft) {
  scenario::Scenario s = OneJob(10 * 3600);
  s.performance = scenario::Performance::kHeadroom;
  s.jobs[0].resume = Duration{0};
  // Done evenly through the first of six hours: 5.5 / 6 are left on average. Through the last: 0.5 / 6.
  EXPECT_NEAR(JobHeadroom(s, 0, {{From(0, 1, 1)}}), 5.5 / 6, 1e-12);
  EXPECT_NEAR(JobHeadroom(s, 0, {{From(5, 6, 1)}}), 0.5 / 6, 1e-12);
  EXPECT_NEAR(JobHeadroom(s, 0, {{From(0, 0.5, 1)}}), 0.5 * 5.75 / 6, 1e-12) << "undone work counts 0";
  EXPECT_NEAR(JobHeadroom(s, 0, {{From(0, 6, 1)}}), 5.5 / 6, 1e-12) << "once done, time does not matter";
}

TEST(HeadroomTest, OfAServiceIsWeighedByRequests) {
  scenario::Scenario s = testing::IdleCluster();
  s.services = {testing::ServiceOf("front", {30, 10, 0, 0, 0, 0})};
  Plan plan = EmptyPlan(s);
  plan.services[0].slots[0] = {0, 0, 1, 0.6, Seconds(0.05)};  // of 0.2 s: three quarters are left
  plan.services[0].slots[1] = {0, 0, 1, 0.2, Seconds(0.25)};
  EXPECT_NEAR(ServiceHeadroom(s, 0, plan.services[0]), 0.75 * 30 / 40, 1e-12);
  s.services[0].requests_per_s.assign(6, 0.0);
  EXPECT_EQ(ServiceHeadroom(s, 0, plan.services[0]), 1.0);
}

TEST(HeadroomTest, IsAveragedOverJobsAndServices) {
  scenario::Scenario s = OneJob(10 * 3600);
  s.performance = scenario::Performance::kHeadroom;
  s.jobs[0].resume = Duration{0};
  s.jobs.push_back(s.jobs[0]);
  s.services = {testing::ServiceOf("quiet", {0, 0, 0, 0, 0, 0})};
  Plan plan = EmptyPlan(s);
  plan.jobs[0].segments = {From(0, 1, 1)};
  EXPECT_NEAR(PerformanceOf(s, plan), (5.5 / 6 + 0 + 1) / 3, 1e-12);
  EXPECT_EQ(PerformanceOf(testing::IdleCluster(), EmptyPlan(testing::IdleCluster())), 0.0);
}

RC_GTEST_PROP(HeadroomLaw, IsTheSumOverSeconds, ()) {
  scenario::Scenario s = OneJob(1000.0 * testing::Draw(1, 200));
  s.jobs[0].submit = At(testing::Draw(-2, 3));
  s.jobs[0].deadline = s.jobs[0].submit + Duration{testing::Draw(600, 30000)};
  s.jobs[0].resume = Duration{testing::Draw(0, 2000)};
  const JobPlan plan = testing::AnyJobPlan(s, s.jobs[0]);
  const Interval window = HeadroomWindow(s, s.jobs[0]);
  double left = s.jobs[0].samples;
  double slow = 0.0;
  for (const ProgressSpan& piece : PiecesOf(s, s.jobs[0], plan)) {
    for (Instant t = piece.span.begin; t < piece.span.end; t += Duration{1}) {
      const double made = std::min(left, piece.samples_per_s);
      left -= made;
      const double share = (Seconds(window.end - t).count() - 0.5) / Seconds(window.length()).count();
      slow += made / s.jobs[0].samples * std::clamp(share, 0.0, 1.0);
    }
  }
  RC_ASSERT(std::abs(JobHeadroom(s, 0, plan) - std::clamp(slow, 0.0, 1.0)) < 1e-3);
}

RC_GTEST_PROP(HeadroomLaw, LiesBetweenNothingAndAll, ()) {
  testing::AnyCase c = testing::DrawCase();
  c.scenario.performance = scenario::Performance::kHeadroom;
  const double performance = PerformanceOf(c.scenario, c.plan);
  RC_ASSERT(performance >= 0.0 && performance <= 1.0);
}

RC_GTEST_PROP(SamplesLaw, NeverMoreThanAllSecondsAtFullSpeed, ()) {
  const testing::AnyCase c = testing::DrawCase();
  for (std::size_t j = 0; j < c.scenario.jobs.size(); ++j) {
    double most = 0.0;
    for (const Segment& segment : c.plan.jobs[j].segments) {
      const auto& points = c.scenario.training.Of("net", c.scenario.groups[segment.group].gpu);
      most += points[segment.point].samples_per_s * Seconds(segment.span.length()).count();
    }
    RC_ASSERT(SamplesDone(c.scenario, j, c.plan.jobs[j]) <= most + 1e-6);
  }
}

}  // namespace
}  // namespace heliostat::plan
