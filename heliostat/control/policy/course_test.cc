#include "heliostat/control/policy/course.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

using namespace std::chrono_literals;

// Points of the desk's model in each group.
constexpr std::size_t kTwoAt300W = 5;

scenario::Job Asked(Duration resume) {
  scenario::Job job;
  job.model = "m";
  job.min_workers = 1;
  job.max_workers = 4;
  job.samples = 1e6;
  job.resume = resume;
  return job;
}

class CourseTest : public ::testing::Test {
 protected:
  Instant At(Duration after) const { return desk_.now() + after; }
  CoursePiece During(Duration begin, Duration end, std::size_t point, std::size_t group = 0) const {
    return {{At(begin), At(end)}, {group, point}};
  }
  JobState Running(std::size_t point, Duration resume = 5min) const {
    JobState job;
    job.asked = Asked(resume);
    job.phase = Phase::kRunning;
    job.setting = {0, point};
    job.home = 0;
    return job;
  }
  Course Kept(const JobState& job, Course course) const {
    KeepRunning(job, choices_, desk_.now(), course);
    return course;
  }

  Desk desk_;
  Choices choices_{desk_.site(), Asked(5min), {}};
};

TEST_F(CourseTest, SaysInsideItsPiecesHowTheJobTrains) {
  const Course course{{During(0min, 60min, kOneAt300W), During(90min, 120min, kTwoAt300W)}};
  EXPECT_EQ(course.At(At(0min)), (RunSetting{0, kOneAt300W}));
  EXPECT_EQ(course.At(At(59min)), (RunSetting{0, kOneAt300W}));
  EXPECT_EQ(course.At(At(60min)), std::nullopt);
  EXPECT_EQ(course.At(At(90min)), (RunSetting{0, kTwoAt300W}));
  EXPECT_EQ(course.At(At(120min)), std::nullopt);
}

TEST_F(CourseTest, IsOverWhenItsLastPieceEnds) {
  const Course course{{During(0min, 60min, kOneAt300W), During(90min, 120min, kTwoAt300W)}};
  EXPECT_EQ(course.End(), At(120min));
  EXPECT_FALSE(course.IsOver(At(70min)));
  EXPECT_TRUE(course.IsOver(At(120min)));
  EXPECT_TRUE(Course{}.IsOver(At(0min)));
  EXPECT_EQ(Course{}.End(), std::nullopt);
}

TEST_F(CourseTest, ARunEndsWhereWorkersChangeOrAGapBegins) {
  const Course course{{During(0min, 30min, kOneAt300W), During(30min, 60min, kOneAt200W),
                       During(60min, 90min, kTwoAt300W), During(95min, 99min, kTwoAt300W)}};
  EXPECT_EQ(course.RunEnd(choices_, At(10min)), At(60min));
  EXPECT_EQ(course.RunEnd(choices_, At(60min)), At(90min));
  EXPECT_EQ(course.RunEnd(choices_, At(92min)), std::nullopt);
  EXPECT_EQ(course.RunEnd(choices_, At(95min)), At(99min));
}

TEST_F(CourseTest, AJobThatRunsGoesOnThroughAShortGap) {
  const Course course{{During(10min, 60min, kOneAt300W)}};
  EXPECT_EQ(Kept(Running(kOneAt300W), course).pieces.front().span.begin, At(0min));
  // With other speeds too: changing them needs no restart.
  EXPECT_EQ(Kept(Running(kOneAt200W), course).pieces.front().span.begin, At(0min));
}

TEST_F(CourseTest, ALongGapIsAPause) {
  const Course course{{During(16min, 60min, kOneAt300W)}};
  EXPECT_EQ(Kept(Running(kOneAt300W), course), course);
}

TEST_F(CourseTest, AJobThatNeedsNoTimeToResumeMayPause) {
  const Course course{{During(10min, 60min, kOneAt300W)}};
  EXPECT_EQ(Kept(Running(kOneAt300W, 0s), course), course);
}

TEST_F(CourseTest, OtherWorkersOrAnotherGroupAreARestartAnyway) {
  const Course workers{{During(10min, 60min, kTwoAt300W)}};
  EXPECT_EQ(Kept(Running(kOneAt300W), workers), workers);
  const Course group{{During(10min, 60min, kOneAt300W, 1)}};
  EXPECT_EQ(Kept(Running(kOneAt300W), group), group);
}

TEST_F(CourseTest, AJobThatWaitsKeepsItsCourse) {
  JobState job = Running(kOneAt300W);
  job.phase = Phase::kWaiting;
  const Course course{{During(10min, 60min, kOneAt300W)}};
  EXPECT_EQ(Kept(job, course), course);
}

TEST_F(CourseTest, WhatWasMeantForResumingIsWorkAtTheNextPiecesSpeed) {
  const Course course{{During(0min, 5min, kOneAt300W), During(5min, 60min, kOneAt200W)}};
  EXPECT_EQ(Kept(Running(kOneAt200W), course).At(At(1min)), (RunSetting{0, kOneAt200W}));
  // A longer first piece is more than resuming.
  const Course longer{{During(0min, 6min, kOneAt300W), During(6min, 60min, kOneAt200W)}};
  EXPECT_EQ(Kept(Running(kOneAt200W), longer), longer);
}

// Restarts of a job that runs now: pieces that do not go on where, and with as many workers as, it trained before.
int Restarts(const Choices& choices, const JobState& job, Instant now, const Course& course) {
  int restarts = 0;
  Instant until = now;
  RunSetting last = job.setting;
  for (const auto& [span, setting] : course.pieces) {
    const bool goes_on =
        span.begin <= until && setting.group == last.group && choices.At(setting).workers == choices.At(last).workers;
    restarts += goes_on ? 0 : 1;
    until = span.end;
    last = setting;
  }
  return restarts;
}

RC_GTEST_FIXTURE_PROP(CourseTest, KeepRunningNeverAddsARestartNorTakesTimeAway, ()) {
  const JobState job = Running(*rc::gen::inRange<std::size_t>(0, 9), *rc::gen::inRange(0, 2) * 5min);
  Course course;
  Duration at{0};
  const int pieces = *rc::gen::inRange(1, 5);
  for (int i = 0; i < pieces; ++i) {
    const Duration begin = at + *rc::gen::inRange(0, 3) * 8min;
    at = begin + *rc::gen::inRange(1, 10) * 1min;
    course.pieces.push_back(During(begin, at, *rc::gen::inRange<std::size_t>(0, 9)));
  }
  const Course kept = Kept(job, course);
  RC_ASSERT(Restarts(choices_, job, desk_.now(), kept) <= Restarts(choices_, job, desk_.now(), course));
  RC_ASSERT(kept.pieces.size() == course.pieces.size());
  RC_ASSERT(kept.End() == course.End());
  for (const CoursePiece& piece : course.pieces) RC_ASSERT(kept.At(piece.span.begin).has_value());
}

}  // namespace
}  // namespace heliostat::policy::testing
