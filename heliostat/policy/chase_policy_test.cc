#include <gtest/gtest.h>

#include "heliostat/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

double LimitAt(double grams, double eta) {
  Desk desk(std::vector<double>(24, grams));
  Options options;
  options.eta = eta;
  auto policy = Named("chase", options);
  const JobId job = desk.Submit(2.0, 30.0, 1, 1);
  desk.Ask(*policy);
  return *desk.PointOf(job).knob.power_limit_w;
}

TEST(Chase, WithoutAnyWeightOnCarbonRunsAsFastAsItCan) { EXPECT_EQ(LimitAt(600.0, 0.0), 300.0); }

TEST(Chase, WithAllWeightOnCarbonTakesTheThriftiest) { EXPECT_EQ(LimitAt(600.0, 1.0), 100.0); }

TEST(Chase, TurnsDownAsTheGridGetsDirtier) {
  double before = 1e9;
  for (const double grams : {1.0, 200.0, 600.0}) {
    const double limit = LimitAt(grams, 0.6);
    EXPECT_LE(limit, before);
    before = limit;
  }
  EXPECT_LT(before, 300.0);
}

TEST(Chase, ChoosesAnewInEverySlotAndNeverStops) {
  Desk desk({1.0, 600.0, 1.0});
  Options options;
  options.eta = 0.6;
  auto policy = Named("chase", options);
  const JobId job = desk.Submit(2.0, 30.0, 1, 1);
  std::vector<double> limits;
  for (int slot = 0; slot < 3; ++slot) {
    desk.MoveTo(slot);
    desk.Ask(*policy);
    ASSERT_TRUE(desk.Runs(job));
    limits.push_back(*desk.PointOf(job).knob.power_limit_w);
  }
  EXPECT_LT(limits[1], limits[0]);
  EXPECT_EQ(limits[2], limits[0]);
}

}  // namespace
}  // namespace heliostat::policy::testing
