#include "heliostat/model/profile/worker_scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace heliostat::profile {
namespace {

using ::testing::SizeIs;

Measurement Row(int workers, double limit_w, double per_s, double watts, int batch = 128) {
  Measurement row{.model = "net", .gpu = "T4"};
  row.workers = workers;
  row.batch = batch;
  row.knob.power_limit_w = limit_w;
  row.per_s = per_s;
  row.power = Watts{watts};
  return row;
}

TEST(WorkerScaling, MeasuredRowsStayAndScaledOnesStateTheirErrors) {
  const std::vector<Measurement> rows{Row(1, 50, 90, 49), Row(1, 70, 120, 68)};
  const auto all = ScaleWorkers(rows, std::array{1, 2, 4, 8});
  ASSERT_THAT(all, SizeIs(8));
  EXPECT_TRUE(std::equal(rows.begin(), rows.end(), all.begin()));
  for (std::size_t i = 2; i < all.size(); ++i) {
    const Measurement& one = all[i];
    const Measurement& before = all[i - 2];
    EXPECT_EQ(one.origin, Origin::kScaled);
    // More workers are faster, draw more, are less certain, and need no less energy for a sample.
    EXPECT_GT(one.per_s, before.per_s);
    EXPECT_LE(one.per_s / one.workers, before.per_s / before.workers);
    EXPECT_GT(one.power->value, before.power->value);
    EXPECT_LE(one.power->value, one.workers * rows[i % 2].power->value + 1e-9);
    EXPECT_GE(one.power->value / one.per_s, before.power->value / before.per_s - 1e-9);
    EXPECT_GT(one.speed_error, before.speed_error);
    // With its error, the power is that of workers that never wait.
    EXPECT_NEAR(one.power->value * (1 + one.power_error), one.workers * rows[i % 2].power->value, 1e-6);
  }
}

TEST(WorkerScaling, AShortStepScalesWorseAndAnUnknownBatchLikeTheMean) {
  const auto speed_up = [](double per_s, int batch) {
    const std::vector<Measurement> rows{Row(1, 70, per_s, 68, batch)};
    return ScaleWorkers(rows, std::array{8}).back().per_s / per_s;
  };
  EXPECT_LT(speed_up(128 / 0.01, 128), speed_up(128 / 0.1, 128));
  EXPECT_LT(speed_up(128 / 0.1, 128), speed_up(128 / 1.0, 128));
  EXPECT_NEAR(speed_up(50, 1), std::pow(8, kWithoutStep.kappa), 1e-9);
}

TEST(WorkerScaling, OwnMeasurementsOfTwoNumbersCountAboveTheRule) {
  const std::vector<Measurement> rows{Row(1, 70, 100, 68), Row(2, 70, 150, 130)};
  const auto all = ScaleWorkers(rows, std::array{1, 2, 4});
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_NEAR(all.back().per_s, 225, 1e-9);
  EXPECT_NEAR(all.back().speed_error, std::pow(2, kOwnKappaError) - 1, 1e-9);
}

TEST(WorkerScaling, FewerWorkersComeFromMore) {
  const std::vector<Measurement> rows{Row(4, 70, 300, 240)};
  const Measurement one = ScaleWorkers(rows, std::array{1}).back();
  EXPECT_GT(one.per_s, 75);
  EXPECT_GE(one.power->value, 60);
  EXPECT_GT(one.speed_error, 0);
}

TEST(WorkerScaling, TheRuleIsFoundInSpeedUpsThatFollowIt) {
  std::vector<SpeedUp> speed_ups;
  for (const char* model : {"a", "b", "c"}) {
    for (const double step_s : {0.05, 0.2, 0.7}) {
      const double length = step_s * (model[0] == 'a' ? 1.0 : 1.3);
      const double kappa = 0.9 + 0.05 * std::log(length);
      for (const int workers : {2, 4}) speed_ups.push_back({model, length, workers, std::pow(workers, kappa)});
    }
  }
  const ScalingRule rule = FitScalingRule(speed_ups, true);
  EXPECT_NEAR(rule.kappa, 0.9, 1e-9);
  EXPECT_NEAR(rule.per_ln_step, 0.05, 1e-9);
  EXPECT_NEAR(rule.error, 0.0, 1e-9);
  EXPECT_GT(FitScalingRule(speed_ups, false).error, 0.01);
}

}  // namespace
}  // namespace heliostat::profile
