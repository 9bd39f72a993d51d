#include "heliostat/signals/signal/freshness.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat::signal {
namespace {

using namespace std::chrono_literals;

TEST(FreshnessTest, EveryLimitStillCounts) {
  const FreshnessLimits limits{1h, 6h};
  EXPECT_EQ(FreshnessAfter(-5min, limits), Freshness::kMeasured);
  EXPECT_EQ(FreshnessAfter(0h, limits), Freshness::kMeasured);
  EXPECT_EQ(FreshnessAfter(1s, limits), Freshness::kForecast);
  EXPECT_EQ(FreshnessAfter(1h, limits), Freshness::kForecast);
  EXPECT_EQ(FreshnessAfter(1h + 1s, limits), Freshness::kStale);
  EXPECT_EQ(FreshnessAfter(6h, limits), Freshness::kStale);
  EXPECT_EQ(FreshnessAfter(6h + 1s, limits), Freshness::kClimatology);
  EXPECT_EQ(FreshnessAfter(8h, {12h, 6h}), Freshness::kForecast) << "what may be fresh is not too old to be stale";
  EXPECT_EQ(FreshnessAfter(13h, {12h, 6h}), Freshness::kClimatology);
}

RC_GTEST_PROP(FreshnessLaw, NothingGetsFresherWithAge, ()) {
  const FreshnessLimits limits{Duration{*rc::gen::inRange(0, 40000)}, Duration{*rc::gen::inRange(0, 40000)}};
  const Duration age{*rc::gen::inRange(-1000, 50000)};
  const Duration later = age + Duration{*rc::gen::inRange(0, 50000)};
  RC_ASSERT(FreshnessAfter(age, limits) <= FreshnessAfter(later, limits));
}

TEST(Freshness, NamesReadBothWays) {
  for (const auto freshness :
       {Freshness::kMeasured, Freshness::kForecast, Freshness::kStale, Freshness::kClimatology}) {
    EXPECT_EQ(FreshnessNamed(NameOf(freshness)), freshness);
  }
  EXPECT_EQ(FreshnessNamed("fresh"), std::nullopt);
}

}  // namespace
}  // namespace heliostat::signal
