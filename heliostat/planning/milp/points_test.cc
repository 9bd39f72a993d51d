#include "heliostat/planning/milp/points.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace heliostat::milp {
namespace {

using ::testing::ElementsAre;

scenario::TrainingPoint Point(double samples_per_s, double watts) {
  scenario::TrainingPoint point;
  point.samples_per_s = samples_per_s;
  point.power = Watts{watts};
  return point;
}

std::vector<std::size_t> All(const std::vector<scenario::TrainingPoint>& points) {
  std::vector<std::size_t> all(points.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

TEST(UsefulPoints, LeavesOutWhatAnotherOrTwoInTurnsBeat) {
  const std::vector<scenario::TrainingPoint> points{
      Point(10, 100), Point(9, 120), Point(14, 200) /* under the line from 100 W to 300 W */, Point(30, 300)};
  EXPECT_THAT(UsefulPoints(points, All(points), Watts{20}, true), ElementsAre(0, 3));
}

TEST(UsefulPoints, LeavesOutPointsSlowerThanTheMostEfficientWhereIdlingIsFree) {
  const std::vector<scenario::TrainingPoint> points{Point(10, 120), Point(30, 200), Point(35, 300)};
  EXPECT_THAT(UsefulPoints(points, All(points), Watts{100}, true), ElementsAre(0, 1, 2));
  EXPECT_THAT(UsefulPoints(points, All(points), Watts{20}, false), ElementsAre(1, 2));
  EXPECT_THAT(UsefulPoints(points, All(points), Watts{119}, false), ElementsAre(0, 1, 2));
}

RC_GTEST_PROP(UsefulPointsLaw, KeepsAMixAsGoodAsEveryPoint, ()) {
  std::vector<scenario::TrainingPoint> points;
  const int count = *rc::gen::inRange(1, 8);
  for (int i = 0; i < count; ++i) points.push_back(Point(*rc::gen::inRange(1, 50), *rc::gen::inRange(50, 400)));
  const std::vector<std::size_t> kept = UsefulPoints(points, All(points), Watts{20}, true);
  for (const scenario::TrainingPoint& point : points) {
    bool matched = false;
    for (const std::size_t a : kept) {
      for (const std::size_t b : kept) {
        // On the line from a to b at this point's power, or on a alone.
        const double span = (points[b].power - points[a].power).value;
        const double share = span > 0.0 ? std::clamp((point.power - points[a].power).value / span, 0.0, 1.0) : 0.0;
        const double watts = points[a].power.value + share * span;
        const double speed = points[a].samples_per_s + share * (points[b].samples_per_s - points[a].samples_per_s);
        matched = matched || (watts <= point.power.value + 1e-9 && speed >= point.samples_per_s - 1e-9);
      }
    }
    RC_ASSERT(matched);
  }
}

}  // namespace
}  // namespace heliostat::milp
