#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"
#include "heliostat/node/level_control/choose.h"

namespace heliostat::policy::testing {
namespace {

double LimitAt(double grams, double eta) {
  Desk desk(std::vector<double>(24, grams));
  PolicyOptions options;
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

// What the controller of a live run would choose from the same points.
TEST(Chase, ChoosesAsALiveRunDoes) {
  for (const double eta : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
    for (const double grams : {1.0, 50.0, 200.0, 400.0, 600.0}) {
      Desk desk({600.0, grams});
      PolicyOptions options;
      options.eta = eta;
      auto policy = Named("chase", options);
      const JobId job = desk.Submit(2.0, 30.0, 1, 1);
      desk.MoveTo(1);
      desk.Ask(*policy);
      std::vector<level_control::LevelOption> levels;
      const std::string& gpu = desk.site().groups[desk.job(job).setting.group].gpu;
      for (const scenario::TrainingPoint& point : desk.site().training.Of("m", gpu)) {
        if (point.workers != desk.PointOf(job).workers) continue;
        levels.push_back({*point.knob.power_limit_w, point.samples_per_s, point.power});
      }
      Watts most_power;
      for (const level_control::LevelOption& level : levels) most_power = std::max(most_power, level.power);
      const level_control::EtaCost cost{eta, most_power, GramsPerKwh(600.0).value};
      const auto chosen = level_control::ChooseByEta(levels, cost, GramsPerKwh(grams).value);
      EXPECT_EQ(*desk.PointOf(job).knob.power_limit_w, levels[chosen].level) << eta << " " << grams;
    }
  }
}

TEST(Chase, SlowsNoJobDownWhileOthersWaitForGpus) {
  for (const int jobs : {4, 5}) {
    Desk desk;
    PolicyOptions options;
    options.eta = 1.0;
    auto policy = Named("chase", options);
    const JobId first = desk.Submit(2.0, 30.0, 4, 4);
    for (int i = 1; i < jobs; ++i) desk.Submit(2.0, 40.0, 4, 4);
    desk.Ask(*policy);
    EXPECT_EQ(*desk.PointOf(first).knob.power_limit_w, jobs == 4 ? 100.0 : 300.0);
  }
}

TEST(Chase, SlowsNoJobDownThatWouldBeLate) {
  Desk desk;
  PolicyOptions options;
  options.eta = 1.0;
  auto policy = Named("chase", options);
  const JobId tight = desk.Submit(2.0, 1.01);  // takes an hour in the faster group
  desk.Ask(*policy);
  EXPECT_EQ(*desk.PointOf(tight).knob.power_limit_w, 300.0);
}

TEST(Chase, ChoosesAnewInEverySlotAndNeverStops) {
  Desk desk({1.0, 600.0, 1.0});
  PolicyOptions options;
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
