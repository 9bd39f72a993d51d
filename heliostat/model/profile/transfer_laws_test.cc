// Predictions on generated measurements with known true values.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "heliostat/base/core/random.h"
#include "heliostat/model/profile/leave_one_out.h"
#include "heliostat/model/profile/sweep.h"
#include "heliostat/model/profile/transfer.h"

namespace heliostat::profile {
namespace {

using ::testing::SizeIs;

// Models whose speed changes from OLD to NEW by a factor of 2 times a log-normal error with `spread`; power likewise.
std::vector<Measurement> NoisyWorld(std::uint64_t seed, int models, double spread) {
  RandomStream random(seed);
  std::vector<Measurement> rows;
  for (int i = 0; i < models; ++i) {
    const double speed = std::exp(random.Uniform(0.0, 6.0));
    const double watts = random.Uniform(150.0, 290.0);
    for (const char* gpu : {"OLD", "NEW"}) {
      const bool is_new = gpu[0] == 'N';
      Measurement row{.model = fmt::format("m{:02}", i), .gpu = gpu};
      row.batch = 32;
      row.per_s = speed * (is_new ? 2.0 * std::exp(random.Normal(0.0, spread)) : 1.0);
      row.power = Watts{watts * (is_new ? 1.2 * std::exp(random.Normal(0.0, spread / 4)) : 1.0)};
      rows.push_back(row);
    }
  }
  return rows;
}

// In four of five cases the true value is within a factor of 1 + bar.
TEST(TransferLaws, TheTruthLiesWithinTheBarAsOftenAsPromised) {
  int within = 0;
  int power_within = 0;
  int all = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::vector<Measurement> rows = NoisyWorld(seed, 14, 0.3);
    const Transfer transfer(rows);
    for (const Measurement& truth : rows) {
      if (truth.gpu != "NEW") continue;
      const auto predicted = transfer.Predict(truth.model, "NEW");
      ASSERT_TRUE(predicted);
      const PredictedProfile& one = predicted->front();
      ASSERT_THAT(one.points, SizeIs(1));
      within += std::abs(std::log(one.points[0].per_s / truth.per_s)) <= std::log(1.0 + one.bar.speed) ? 1 : 0;
      power_within += std::abs(std::log(*one.points[0].power / *truth.power)) <= std::log(1.0 + one.bar.power) ? 1 : 0;
      ++all;
    }
  }
  EXPECT_NEAR(static_cast<double>(within) / all, 0.8, 0.1);
  EXPECT_GE(static_cast<double>(power_within) / all, 0.7);
}

TEST(TransferLaws, ABarIsNeverNarrowerThanMeasurementsRepeat) {
  const std::vector<Measurement> rows = NoisyWorld(3, 8, 0.0);
  const auto predicted = Transfer(rows).Predict("m00", "NEW");
  ASSERT_TRUE(predicted);
  EXPECT_GE(predicted->front().bar.speed, 0.05);
  EXPECT_GE(predicted->front().bar.power, 0.05);
}

RC_GTEST_PROP(TransferLaws, TheOrderOfRowsDoesNotMatter, ()) {
  const std::vector<Measurement> rows = NoisyWorld(*rc::gen::inRange<std::uint64_t>(0, 1000), 5, 0.3);
  std::vector<Measurement> shuffled = rows;
  for (std::size_t i = shuffled.size(); i > 1; --i) {
    std::swap(shuffled[i - 1], shuffled[*rc::gen::inRange<std::size_t>(0, i)]);
  }
  const auto a = Transfer(rows).Predict("m01", "NEW");
  const auto b = Transfer(shuffled).Predict("m01", "NEW");
  RC_ASSERT(a && b);
  RC_ASSERT(a->front().points == b->front().points);
  RC_ASSERT(a->front().bar == b->front().bar);
}

// The unit of a sample (an image, a token) of a model has no influence.
RC_GTEST_PROP(TransferLaws, AModelsUnitOfWorkGoesThrough, ()) {
  std::vector<Measurement> rows = NoisyWorld(7, 6, 0.3);
  const double unit = *rc::gen::inRange(1, 1000) / 10.0;
  const double before = Transfer(rows).Predict("m02", "NEW")->front().points[0].per_s;
  for (Measurement& row : rows) {
    if (row.model == "m02") row.per_s *= unit;
  }
  const double after = Transfer(rows).Predict("m02", "NEW")->front().points[0].per_s;
  RC_ASSERT(std::abs(after / (before * unit) - 1.0) < 1e-9);
}

TEST(TransferLaws, SpeedsAloneGiveNoDraws) {
  std::vector<Measurement> rows = NoisyWorld(2, 5, 0.2);
  for (Measurement& row : rows) row.power.reset();
  const auto predicted = Transfer(rows).Predict("m00", "NEW");
  ASSERT_TRUE(predicted);
  EXPECT_FALSE(predicted->front().points[0].power.has_value());
  for (const LeftOut& row : LeaveOneOut(rows)) {
    EXPECT_FALSE(row.power_mape.has_value());
    EXPECT_FALSE(row.power_kept.has_value());
  }
}

TEST(TransferLaws, ServingIsPredictedWithTheLatencyOfItsBatch) {
  std::vector<Measurement> rows = NoisyWorld(2, 5, 0.2);
  for (Measurement& row : rows) {
    row.is_training = false;
    row.latency = Seconds{row.batch / row.per_s};
  }
  const auto predicted = Transfer(rows).Predict("m00", "NEW");
  ASSERT_TRUE(predicted);
  const Measurement& point = predicted->front().points[0];
  ASSERT_TRUE(point.latency.has_value());
  EXPECT_NEAR(point.latency->count() * point.per_s, point.batch, 1e-9);
}

TEST(TransferLaws, KnowingOtherBatchesHelpsAModelThatMovesOtherwise) {
  std::vector<Measurement> rows = NoisyWorld(5, 6, 0.05);
  for (const int batch : {16, 32}) {
    for (const char* gpu : {"OLD", "NEW"}) {
      Measurement row{.model = "odd", .gpu = gpu};
      row.batch = batch;
      row.per_s = 10.0 * (gpu[0] == 'N' ? 8.0 : 1.0);
      row.power = Watts{200};
      rows.push_back(row);
    }
  }
  const Transfer transfer(rows);
  const Workload asked{"odd", true, 1, 32};
  const auto blind = transfer.PredictWorkload(asked, "NEW", Knowledge::kNothing);
  const auto told = transfer.PredictWorkload(asked, "NEW", Knowledge::kOtherBatches);
  ASSERT_TRUE(blind && told);
  EXPECT_NEAR(blind->points[0].per_s, 20.0, 4.0);
  EXPECT_NEAR(told->points[0].per_s, 80.0, 20.0);
  EXPECT_FALSE(transfer.PredictWorkload({"odd", true, 4, 32}, "NEW", Knowledge::kNothing).has_value());
}

TEST(LeaveOneOutLaws, RowsOfAGpuAddUpToItsFirst) {
  const auto table = LeaveOneOut(NoisyWorld(4, 7, 0.3));
  std::size_t points = 0;
  double weighted = 0.0;
  const LeftOut* total = nullptr;
  for (const LeftOut& row : table) {
    EXPECT_GE(row.speed_kept, 0.0);
    EXPECT_LE(row.speed_kept, 1.0);
    if (row.gpu != "NEW") continue;
    if (row.model.empty()) {
      total = &row;
      continue;
    }
    points += row.points;
    weighted += row.speed_mape * static_cast<double>(row.points);
  }
  ASSERT_NE(total, nullptr);
  EXPECT_EQ(total->points, points);
  EXPECT_NEAR(total->speed_mape, weighted / static_cast<double>(points), 1e-12);
}

Measurement At(const char* model, int workers, scenario::GpuSetting knob, double per_s) {
  Measurement row{.model = model, .gpu = "A100"};
  row.workers = workers;
  row.knob = knob;
  row.per_s = per_s;
  row.power = Watts{100.0 * workers};
  return row;
}

TEST(SweepLaws, EveryRowIsInOneSweepAndSettingsAscend) {
  std::vector<Measurement> rows;
  for (const double setting : {300.0, 100.0, 200.0}) {
    rows.push_back(At("a", 1, {.core_mhz = {}, .power_limit_w = setting}, setting));
    rows.push_back(At("a", 1, {.core_mhz = setting, .power_limit_w = {}}, setting));
    rows.push_back(At("a", 2, {.core_mhz = setting, .power_limit_w = {}}, setting));
  }
  const auto sweeps = SweepsOf(rows);
  ASSERT_THAT(sweeps, SizeIs(3));  // by limit and by clock separately
  std::size_t points = 0;
  for (const Sweep& sweep : sweeps) {
    points += sweep.points.size();
    EXPECT_TRUE(std::ranges::is_sorted(sweep.points, {}, [](const Measurement& row) { return SettingOf(row.knob); }));
    EXPECT_EQ(SettingOf(sweep.top().knob), 300.0);
    for (const Measurement& row : sweep.points) EXPECT_EQ(WorkloadOf(row), sweep.workload);
  }
  EXPECT_EQ(points, rows.size());
  EXPECT_EQ(SettingOf({}), 0.0);
}

TEST(SweepLaws, WithoutDrawsOrSettingsThereIsNoCurve) {
  std::vector<Measurement> rows;
  for (const double mhz : {800.0, 1000.0, 1200.0, 1400.0}) {
    rows.push_back(At("a", 1, {.core_mhz = mhz, .power_limit_w = {}}, mhz));
  }
  EXPECT_TRUE(FitSweep(SweepsOf(rows)[0]).time);
  rows[1].power.reset();
  EXPECT_FALSE(FitSweep(SweepsOf(rows)[0]).time);
  const std::vector<Measurement> defaults{At("a", 1, {}, 5), At("a", 1, {}, 6)};
  EXPECT_FALSE(FitSweep(SweepsOf(defaults)[0]).power);
}

}  // namespace
}  // namespace heliostat::profile
