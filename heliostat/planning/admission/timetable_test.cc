#include "heliostat/planning/admission/timetable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heliostat::admission {
namespace {

scenario::Job JobOf(double samples, bool preemptible = true, Duration resume = Duration{0}) {
  scenario::Job job;
  job.samples = samples;
  job.preemptible = preemptible;
  job.resume = resume;
  return job;
}

Way WayOf(int workers) { return {0, 0, workers, 10.0 * workers}; }

TEST(Timetable, AJobRunsInTheGapsThatOthersLeave) {
  Timetable table({4}, 1000);
  table.Take(0, 100, 200, 3);
  const scenario::Job job = JobOf(4000.0);
  const auto booking = table.Earliest({job, 50, 1000}, WayOf(2));
  ASSERT_TRUE(booking.has_value());
  ASSERT_EQ(booking->spans.size(), 2U);
  EXPECT_EQ(booking->spans[0].begin, 50);
  EXPECT_EQ(booking->spans[0].end, 100);
  EXPECT_EQ(booking->spans[1].begin, 200);
  EXPECT_EQ(booking->end(), 350) << "50 s, then 150 s at 20 samples/s";
}

TEST(Timetable, AJobInOnePieceWaitsForALongGap) {
  Timetable table({4}, 1000);
  table.Take(0, 100, 200, 3);
  const scenario::Job job = JobOf(4000.0, false);
  const auto booking = table.Earliest({job, 50, 1000}, WayOf(2));
  ASSERT_TRUE(booking.has_value());
  ASSERT_EQ(booking->spans.size(), 1U);
  EXPECT_EQ(booking->spans[0].begin, 200);
  EXPECT_FALSE(table.Earliest({job, 50, 399}, WayOf(2)).has_value());
  EXPECT_TRUE(table.Earliest({job, 50, 400}, WayOf(2)).has_value());
}

TEST(Timetable, EveryStartCostsTheTimeToResume) {
  Timetable table({2}, 1000);
  table.Take(0, 100, 200, 1);
  table.Take(0, 205, 300, 1);
  const scenario::Job job = JobOf(3000.0, true, Duration{10});
  const auto booking = table.Earliest({job, 0, 1000}, WayOf(2));
  ASSERT_TRUE(booking.has_value());
  ASSERT_EQ(booking->spans.size(), 2U) << "the gap of 5 s is shorter than resuming";
  EXPECT_EQ(booking->end(), 300 + 10 + 60);
}

TEST(Timetable, AJobThatRunsGoesOnWithoutAStart) {
  const Timetable table({4}, 1000);
  scenario::Job job = JobOf(2000.0, true, Duration{100});
  job.begun = scenario::Begun{.group = 0, .workers = 2, .resume_left = Duration{5}};
  EXPECT_EQ(table.Earliest({job, 50, 1000}, WayOf(2))->end(), 50 + 5 + 100);
  EXPECT_EQ(table.Earliest({job, 50, 1000}, WayOf(4))->end(), 50 + 100 + 50) << "other workers are a start";
  Timetable full = table;
  full.Take(0, 50, 60, 3);
  EXPECT_EQ(full.Earliest({job, 50, 1000}, WayOf(2))->end(), 60 + 100 + 100) << "so is an interruption";
}

TEST(Timetable, WhatIsReleasedIsFreeAgain) {
  Timetable table({4}, 1000);
  const scenario::Job job = JobOf(4000.0);
  const auto booking = table.Earliest({job, 0, 1000}, WayOf(4));
  ASSERT_TRUE(booking.has_value());
  table.Take(*booking);
  EXPECT_EQ(table.Free(0, 0, 1000), 0);
  EXPECT_EQ(table.Free(0, 100, 1000), 4);
  table.Release(*booking);
  EXPECT_EQ(table.Free(0, 0, 1000), 4);
}

}  // namespace
}  // namespace heliostat::admission
