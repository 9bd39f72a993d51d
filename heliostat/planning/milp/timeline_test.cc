#include "heliostat/planning/milp/timeline.h"

#include <gtest/gtest.h>

#include <array>

#include "heliostat/planning/milp/testing/any_scenario.h"

namespace heliostat::milp {
namespace {

using testing::AnyOf;
using testing::Cluster;
using testing::kStart;

// Two minutes, so that every second can be counted.
scenario::Scenario TwoMinutes() {
  scenario::Scenario s = Cluster({1, 1});
  s.step = Duration{60};
  return s;
}

Interval AnySpan(RandomStream& random) {
  const int begin = AnyOf(-10, 124, random);
  return {kStart + Duration{begin}, kStart + Duration{begin + AnyOf(0, 59, random)}};
}

TEST(Timeline, AgreesWithCountingBySeconds) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const scenario::Scenario s = TwoMinutes();
    Timeline timeline(s);
    std::array<int, 120> seconds{};
    for (int i = AnyOf(0, 11, random); i > 0; --i) {
      const Interval span = AnySpan(random);
      const int gpus = AnyOf(-3, 5, random);
      timeline.Give(0, span, gpus);
      for (int t = 0; t < 120; ++t) {
        if (span.Contains(kStart + Duration{t})) seconds[static_cast<std::size_t>(t)] += gpus;
      }
    }
    const Interval within = AnySpan(random).Intersect(s.horizon());
    const int wanted = AnyOf(0, 4, random);
    std::array<bool, 120> free{};
    for (const Interval& stretch : timeline.FreeStretches(0, within, wanted)) {
      ASSERT_TRUE(!stretch.empty());
      ASSERT_TRUE(stretch.begin >= within.begin);
      ASSERT_TRUE(stretch.end <= within.end);
      for (Instant t = stretch.begin; t < stretch.end; t += Duration{1}) {
        free[static_cast<std::size_t>((t - kStart).count())] = true;
      }
    }
    bool all = true;
    for (int t = 0; t < 120; ++t) {
      if (!within.Contains(kStart + Duration{t})) continue;
      const auto at = static_cast<std::size_t>(t);
      ASSERT_TRUE(free[at] == (seconds[at] >= wanted));
      all = all && seconds[at] >= wanted;
    }
    ASSERT_TRUE(timeline.Fits(0, within, wanted) == all);
  }
}

TEST(Timeline, StretchesThatAdjoinAreOne) {
  const scenario::Scenario s = TwoMinutes();
  Timeline timeline(s);
  timeline.Give(0, s.horizon(), 4);
  timeline.Hold(0, {kStart + Duration{30}, kStart + Duration{60}}, 1);
  EXPECT_EQ(timeline.FreeStretches(0, s.horizon(), 3).size(), 1U);
  EXPECT_EQ(timeline.FreeStretches(0, s.horizon(), 4).size(), 2U);
  timeline.Give(0, {kStart + Duration{30}, kStart + Duration{60}}, 1);
  EXPECT_EQ(timeline.FreeStretches(0, s.horizon(), 4).size(), 1U);
}

}  // namespace
}  // namespace heliostat::milp
