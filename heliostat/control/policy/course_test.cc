#include "heliostat/control/policy/course.h"

#include <gtest/gtest.h>

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

TEST_F(CourseTest, NamesTheNodesOfItsPieces) {
  Course course{{During(0min, 60min, kTwoAt300W)}};
  EXPECT_TRUE(course.NodesAt(At(0min)).empty());
  course.pieces[0].nodes = {{1, 2}};
  EXPECT_EQ(course.NodesAt(At(59min)), (std::vector<NodeShare>{{1, 2}}));
  EXPECT_TRUE(course.NodesAt(At(60min)).empty());
}

}  // namespace
}  // namespace heliostat::policy::testing
