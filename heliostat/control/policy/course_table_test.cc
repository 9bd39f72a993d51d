#include "heliostat/control/policy/course_table.h"

#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

using namespace std::chrono_literals;

class CourseBookTest : public ::testing::Test {
 protected:
  Instant At(Duration after) const { return desk_.site().start + after; }
  CoursePiece During(Duration begin, Duration end, std::size_t point = kOneAt300W) const {
    return {{At(begin), At(end)}, {0, point}};
  }
  // A plan that gives the job this course.
  void Adopt(JobId job, const Course& course) { Adopt({{job, nullptr, At(24h)}}, {{0, course}}); }
  void Adopt(const std::vector<Due>& dues, const std::vector<Lookahead::Planned>& planned) {
    desk_.Show([&](const Observation& observation) {
      choices_.Follow(observation);
      book_.Adopt(observation, choices_, observation.jobs, dues, planned);
    });
  }
  void RunInOrder(const std::vector<JobId>& order) {
    desk_.Show([&](const Observation& observation) {
      choices_.Follow(observation);
      book_.RunInOrder(observation, choices_, order);
    });
  }
  JobId Running(std::size_t point, bool preemptible = true) {
    const JobId job = desk_.Submit(4.0, 20.0, 1, 4, preemptible);
    desk_.job(job).phase = Phase::kRunning;
    desk_.job(job).setting = {0, point};
    desk_.job(job).home = 0;
    return job;
  }
  std::optional<RunSetting> Now(JobId job) const { return book_.Find(job)->At(desk_.now()); }

  Desk desk_;
  ChoiceTable choices_;
  CourseTable book_;
};

TEST_F(CourseBookTest, SaysWhatThePlanSaid) {
  const JobId first = desk_.Submit(1.0, 20.0);
  const JobId second = desk_.Submit(1.0, 20.0);
  const Course one{{During(0h, 1h)}};
  const Course two{{During(2h, 3h), During(4h, 5h, kOneAt200W)}};
  Adopt({{first, nullptr, At(9h)}, {second, nullptr, At(9h)}}, {{1, two}, {0, one}});
  ASSERT_NE(book_.Find(first), nullptr);
  EXPECT_EQ(*book_.Find(first), one);
  EXPECT_EQ(*book_.Find(second), two);
  EXPECT_EQ(book_.courses().size(), 2U);
}

TEST_F(CourseBookTest, ANewPlanLeavesNothingOfTheLast) {
  const JobId first = desk_.Submit(1.0, 20.0);
  const JobId second = desk_.Submit(1.0, 20.0);
  Adopt(first, {{During(0h, 1h)}});
  Adopt(second, {{During(0h, 1h)}});
  EXPECT_EQ(book_.Find(first), nullptr);
}

TEST_F(CourseBookTest, AJobWithoutACourseHasRunOut) {
  const JobId job = desk_.Submit(1.0, 20.0);
  EXPECT_TRUE(book_.HasRunOut(job, At(0h)));
  Adopt(job, {{During(0h, 1h)}});
  EXPECT_FALSE(book_.HasRunOut(job, At(59min)));
  EXPECT_TRUE(book_.HasRunOut(job, At(1h)));
  book_.Forget(job);
  EXPECT_TRUE(book_.HasRunOut(job, At(0h)));
}

TEST_F(CourseBookTest, AJobThatGoesOnAsItIsNeverRunsOut) {
  const JobId job = Running(kOneAt300W, false);
  Adopt(job, {{During(0h, 1h)}, true});
  EXPECT_FALSE(book_.HasRunOut(job, At(5h)));
}

TEST_F(CourseBookTest, AJobThatMayStopFollowsTheNewPlan) {
  const JobId job = Running(kOneAt300W);
  Adopt(job, {{During(0h, 3h)}});
  const Course later{{During(2h, 5h)}};
  Adopt(job, later);
  EXPECT_EQ(*book_.Find(job), later);
}

TEST_F(CourseBookTest, ACourseThatIsOverIsReplaced) {
  const JobId job = Running(kOneAt300W, false);
  Adopt(job, {{During(0h, 1h)}, true});
  desk_.MoveTo(2.0);
  const Course next{{During(2h, 3h)}, true};
  Adopt(job, next);
  EXPECT_EQ(*book_.Find(job), next);
}

TEST_F(CourseBookTest, AnExpectedJobTakesUpItsCourseOnce) {
  scenario::Job expected;
  expected.id = "soon";
  const Course course{{During(3h, 4h)}};
  Adopt({{0, &expected, At(9h)}}, {{0, course}});
  EXPECT_TRUE(book_.courses().empty());
  EXPECT_FALSE(book_.TakeUp(7, "another"));
  EXPECT_TRUE(book_.TakeUp(7, "soon"));
  EXPECT_EQ(*book_.Find(7), course);
  EXPECT_FALSE(book_.TakeUp(8, "soon"));
}

TEST_F(CourseBookTest, TheNextChangeIsTheNextBeginningOrEnd) {
  EXPECT_EQ(book_.NextChange(At(0h)), std::nullopt);
  const JobId first = desk_.Submit(1.0, 20.0);
  const JobId second = desk_.Submit(1.0, 20.0);
  Adopt({{first, nullptr, At(9h)}, {second, nullptr, At(9h)}},
        {{0, {{During(1h, 2h), During(6h, 7h)}}}, {1, {{During(3h, 4h)}}}});
  std::vector<Duration> changes;
  for (auto next = book_.NextChange(At(0h)); next; next = book_.NextChange(*next)) changes.push_back(*next - At(0h));
  EXPECT_EQ(changes, (std::vector<Duration>{1h, 2h, 3h, 4h, 6h, 7h}));
}

TEST_F(CourseBookTest, WithoutAPlanTheFirstInOrderRunAsFastAsTheyCan) {
  std::vector<JobId> jobs;
  for (int i = 0; i < 5; ++i) jobs.push_back(desk_.Submit(4.0, 2.0, 4, 4));
  std::reverse(jobs.begin(), jobs.end());
  RunInOrder(jobs);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(Now(jobs[i]), (RunSetting{i < 2 ? 1U : 0U, kFourAt300W})) << i;
  EXPECT_EQ(Now(jobs[4]), std::nullopt);
  // Until the slot ends, all of them.
  for (const JobId job : jobs) {
    EXPECT_FALSE(book_.HasRunOut(job, At(59min)));
    EXPECT_TRUE(book_.HasRunOut(job, At(1h)));
  }
}

TEST_F(CourseBookTest, WithoutAPlanServicesAndJobsInOnePieceKeepTheirGpus) {
  desk_.AddService(10.0);
  const JobId fixed = Running(kFourAt300W, false);
  const JobId big = desk_.Submit(4.0, 2.0, 4, 4);
  desk_.job(big).home = 0;
  RunInOrder({fixed, big});
  EXPECT_TRUE(book_.Find(fixed)->fixed);
  EXPECT_TRUE(Now(big).has_value());
  desk_.SetServing(0, {0, 0, 1});
  RunInOrder({fixed, big});
  EXPECT_FALSE(Now(big).has_value());
}

}  // namespace
}  // namespace heliostat::policy::testing
