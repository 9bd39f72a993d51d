#include "heliostat/model/profile/transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "heliostat/model/profile/leave_one_out.h"

namespace heliostat::profile {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Made {
  std::string model;
  double speed;
  double watts;
};

// A sweep of three limits on a GPU with `factor` times every speed and `share` times every power.
void AddSweep(std::vector<Measurement>& rows, const Made& made, const std::string& gpu, double factor, double share) {
  for (const double limit : {150.0, 225.0, 300.0}) {
    const double x = limit / 300.0;
    Measurement row{.model = made.model, .gpu = gpu};
    row.batch = 32;
    row.knob.power_limit_w = limit;
    row.per_s = made.speed * factor * std::sqrt(x);
    row.power = Watts{made.watts * share * x};
    rows.push_back(row);
  }
}

const std::vector<Made> kModels{{"small", 1000, 120}, {"middle", 400, 200}, {"large", 50, 290}, {"other", 7, 240}};

std::vector<Measurement> PerfectWorld(double factor, double share) {
  std::vector<Measurement> rows;
  for (const Made& made : kModels) {
    AddSweep(rows, made, "OLD", 1.0, 1.0);
    AddSweep(rows, made, "NEW", factor, share);
  }
  return rows;
}

RC_GTEST_PROP(Transfer, WhereAllModelsMoveAlikeNothingIsWrong, ()) {
  const double factor = *rc::gen::inRange(20, 1000) / 100.0;
  const double share = *rc::gen::inRange(50, 200) / 100.0;
  for (const LeftOut& row : LeaveOneOut(PerfectWorld(factor, share))) {
    RC_ASSERT(row.speed_mape < 1e-9);
    // The line of power is extrapolated only a little.
    if (row.model == "middle" || row.model == "other") RC_ASSERT(*row.power_mape < 1e-9);
    RC_ASSERT(row.speed_kept == 1.0);
  }
}

TEST(Transfer, NothingMeasuredOnTheGpuAskedForEnters) {
  const std::vector<Measurement> rows = PerfectWorld(2.0, 1.0);
  std::vector<Measurement> wrong = rows;
  std::vector<Measurement> without;
  for (Measurement& row : wrong) {
    if (row.model == "middle" && row.gpu == "NEW") {
      row.per_s *= 17.0;
      row.power = *row.power * 3.0;
    } else {
      without.push_back(row);
    }
  }
  const auto honest = Transfer(rows).Predict("middle", "NEW");
  const auto blind = Transfer(without).Predict("middle", "NEW");
  const auto misled = Transfer(wrong).Predict("middle", "NEW");
  ASSERT_TRUE(honest && blind && misled);
  ASSERT_THAT(*blind, SizeIs(1));
  EXPECT_EQ(blind->front().points, honest->front().points);
  EXPECT_EQ(misled->front().points, honest->front().points);
  EXPECT_EQ(misled->front().bar, honest->front().bar);
}

TEST(Transfer, ModelsThatDisagreeMakeTheBarWide) {
  std::vector<Measurement> rows;
  const double factors[] = {0.5, 1.0, 2.0, 1.2};
  for (std::size_t i = 0; i < kModels.size(); ++i) {
    AddSweep(rows, kModels[i], "OLD", 1.0, 1.0);
    AddSweep(rows, kModels[i], "NEW", factors[i], 1.0);
  }
  const auto agreed = Transfer(PerfectWorld(1.2, 1.0)).Predict("other", "NEW");
  const auto disputed = Transfer(rows).Predict("other", "NEW");
  ASSERT_TRUE(agreed && disputed);
  EXPECT_GT(disputed->front().bar.speed, 5.0 * agreed->front().bar.speed);
}

TEST(Transfer, PlanningIsSlowerAndHungrierByTheBar) {
  PredictedProfile prediction;
  prediction.bar = {.speed = 0.25, .power = 0.1};
  Measurement point{.model = "net", .gpu = "NEW", .is_training = false};
  point.per_s = 10.0;
  point.power = Watts{200};
  point.latency = Seconds{0.4};
  prediction.points = {point};
  const Measurement safe = Cautious(prediction).front();
  EXPECT_DOUBLE_EQ(safe.per_s, 8.0);
  EXPECT_DOUBLE_EQ(safe.power->value, 220.0);
  EXPECT_DOUBLE_EQ(safe.latency->count(), 0.5);
}

TEST(Transfer, ModelsAlikeCountMost) {
  // Two models with low power scale by 3, two with high power by 1; another one with high power scales like the latter.
  std::vector<Measurement> rows;
  for (const auto& [model, watts, factor] :
       {std::tuple{"t1", 60.0, 3.0}, {"t2", 70.0, 3.0}, {"h1", 280.0, 1.0}, {"h2", 290.0, 1.0}}) {
    AddSweep(rows, {model, 100, watts}, "OLD", 1.0, 1.0);
    AddSweep(rows, {model, 100, watts}, "NEW", factor, 1.0);
  }
  AddSweep(rows, {"asked", 100, 285}, "OLD", 1.0, 1.0);
  const auto predicted = Transfer(rows).Predict("asked", "NEW");
  ASSERT_TRUE(predicted);
  EXPECT_NEAR(predicted->front().points.back().per_s, 100, 2);
}

TEST(Transfer, RefusesWhatNothingShowsTheWayTo) {
  std::vector<Measurement> rows = PerfectWorld(2.0, 1.0);
  const Transfer transfer(rows);
  EXPECT_THAT(transfer.Predict("no-net", "NEW").error().Line(), HasSubstr("one of large, middle, other, small"));
  EXPECT_THAT(transfer.Predict("small", "TPU").error().Line(), HasSubstr("one of NEW, OLD"));
  std::erase_if(rows, [](const Measurement& row) { return row.gpu == "NEW" && row.model != "large"; });
  const auto refused = Transfer(rows).Predict("small", "NEW");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInfeasible);
}

TEST(Sweep, IsOrderedAndFittedByWhatWasSwept) {
  std::vector<Measurement> rows;
  for (const double mhz : {1410.0, 705.0, 1000.0}) {
    Measurement row{.model = "net", .gpu = "A100"};
    row.workers = 2;
    row.knob.core_mhz = mhz;
    row.per_s = 10.0 * mhz / 1410.0;
    row.power = Watts{100.0 + 200.0 * std::pow(mhz / 1410.0, 3)};
    rows.push_back(row);
  }
  Measurement alone = rows.front();
  alone.workers = 1;
  alone.per_s = 5.0;
  rows.push_back(alone);
  const auto sweeps = SweepsOf(rows);
  ASSERT_THAT(sweeps, SizeIs(2));
  EXPECT_EQ(sweeps[1].top().knob.core_mhz, 1410.0);
  const SweepFit fit = FitSweep(sweeps[1]);
  ASSERT_TRUE(fit.power && fit.time);
  EXPECT_FALSE(fit.limit);
  EXPECT_NEAR(fit.power->curve.exponent, 3.0, 0.01);
  EXPECT_NEAR(fit.power->curve.top_w(), 150.0, 0.1);
  EXPECT_NEAR(fit.time->curve.b, 1.0, 1e-6);
  EXPECT_FALSE(FitSweep(sweeps[0]).power);
  const auto scalings = FitScalings(sweeps);
  ASSERT_THAT(scalings, SizeIs(1));
  EXPECT_NEAR(scalings[0].fit.curve.kappa, 1.0, 1e-9);
}

}  // namespace
}  // namespace heliostat::profile
