#include "heliostat/planning/decomposition/schedule.h"

#include <gtest/gtest.h>

#include "heliostat/planning/decomposition/testing/tiny_job.h"

namespace heliostat::decomposition {
namespace {

using testing::kStep;
using testing::TinyJob;
using testing::TwoSpeeds;

TEST(SlotPiece, MakesSamplesAtBothSpeedsAndNoneWhileItResumes) {
  const WorkerLevel level = TwoSpeeds(2);
  const SlotPiece piece{0, 0, 1, 5, 55, 20, 10};  // 10 s lost, 20 s fast, 20 s slower
  EXPECT_DOUBLE_EQ(SamplesOf(level, piece), 20 * 20.0 + 20 * 12.0);
  EXPECT_DOUBLE_EQ(JoulesOf(level, piece), 10 * 200.0 + 20 * 400.0 + 20 * 200.0);
}

TEST(SlotPiece, ThatOnlyResumesMakesNothing) {
  const WorkerLevel level = TwoSpeeds(1);
  const SlotPiece piece{0, 0, 0, 0, 10, 0, 10};
  EXPECT_EQ(SamplesOf(level, piece), 0.0);
  EXPECT_DOUBLE_EQ(JoulesOf(level, piece), 10 * 100.0);
}

// Cutting a piece in two changes neither its samples nor its energy.
TEST(SlotPiece, IsTheSumOfItsParts) {
  const WorkerLevel level = TwoSpeeds(1);
  for (int cut = 11; cut < 50; ++cut) {
    const SlotPiece whole{0, 0, 1, 0, 50, 0, 10};
    const SlotPiece first{0, 0, 1, 0, cut, 0, 10};
    const SlotPiece second{0, 0, 1, cut, 50, 0, 0};
    EXPECT_DOUBLE_EQ(SamplesOf(level, whole), SamplesOf(level, first) + SamplesOf(level, second));
    EXPECT_DOUBLE_EQ(JoulesOf(level, whole), JoulesOf(level, first) + JoulesOf(level, second));
  }
}

TEST(Schedule, AddsUpItsPieces) {
  const JobModel job = TinyJob(2, 1000.0);
  const Schedule schedule{0, {{0, 0, 1, 0, 60, 0, 0}, {1, 1, 0, 0, 30, 0, 0}}};
  EXPECT_DOUBLE_EQ(SamplesOf(job, schedule), 60 * 10.0 + 30 * 12.0);
  EXPECT_EQ(SamplesOf(job, {}), 0.0);
}

TEST(Schedule, IsWorthItsSamplesButNotMoreThanAreWanted) {
  JobModel job = TinyJob(2, 700.0);
  job.worth = 0.5;
  const Schedule some{0, {{0, 0, 1, 0, 60, 0, 0}}};
  const Schedule more{0, {{0, 0, 1, 0, 60, 0, 0}, {1, 0, 1, 0, 60, 0, 0}}};
  EXPECT_DOUBLE_EQ(WorthOf(job, some, kStep), 0.5 * 600.0);
  EXPECT_DOUBLE_EQ(WorthOf(job, more, kStep), 0.5 * 700.0);
}

// With a worth that falls linearly, the mean second of the samples counts.
TEST(Schedule, IsWorthLessTheLaterItRuns) {
  JobModel job = TinyJob(2, 1e6);
  job.worth = 1.0;
  job.worth_lost_per_s = 1.0 / 240.0;
  const Schedule early{0, {{0, 0, 1, 0, 60, 0, 0}}};
  const Schedule late{0, {{1, 0, 1, 0, 60, 0, 0}}};
  EXPECT_DOUBLE_EQ(WorthOf(job, early, kStep), 600.0 * (1.0 - 30.0 / 240.0));
  EXPECT_DOUBLE_EQ(WorthOf(job, late, kStep), 600.0 * (1.0 - 90.0 / 240.0));
  // Fast first and slower then is the sum of both halves.
  const Schedule mixed{0, {{0, 0, 1, 0, 60, 30, 0}}};
  EXPECT_DOUBLE_EQ(WorthOf(job, mixed, kStep), 300.0 * (1.0 - 15.0 / 240.0) + 180.0 * (1.0 - 45.0 / 240.0));
}

TEST(Window, IsCutAtBothEndsOnly) {
  JobModel job = TinyJob(3, 1.0);
  job.first_begin = 20;
  job.last_end = 45;
  EXPECT_EQ(WindowIn(job, 0, kStep).begin, 20);
  EXPECT_EQ(WindowIn(job, 0, kStep).end, kStep);
  EXPECT_EQ(WindowIn(job, 1, kStep).begin, 0);
  EXPECT_EQ(WindowIn(job, 1, kStep).end, kStep);
  EXPECT_EQ(WindowIn(job, 2, kStep).end, 45);
}

TEST(Window, WorthAtItsBeginningIsNoLessThanInItsMiddle) {
  JobModel job = TinyJob(3, 1.0);
  job.first_slot = 5;
  job.worth = 3.0;
  for (std::size_t t = 0; t < 3; ++t) {
    EXPECT_EQ(WorthOfSample(job, t, kStep, Moment::kBegin), 3.0) << "worth that does not fall";
    EXPECT_EQ(WorthOfSample(job, t, kStep, Moment::kMiddle), 3.0);
  }
  job.worth_lost_per_s = 0.001;
  for (std::size_t t = 0; t < 3; ++t) {
    const double begin = WorthOfSample(job, t, kStep, Moment::kBegin);
    EXPECT_DOUBLE_EQ(begin, 3.0 - 0.001 * 60.0 * static_cast<double>(5 + t));
    EXPECT_DOUBLE_EQ(WorthOfSample(job, t, kStep, Moment::kMiddle), begin - 0.001 * 30.0);
  }
}

}  // namespace
}  // namespace heliostat::decomposition
