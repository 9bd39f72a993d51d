#include "heliostat/node/training_progress/step_rate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "heliostat/node/training_progress/counters.h"

namespace heliostat::training_progress {
namespace {

// A program whose steps take `step_s` with some noise, sampled ten times per second.
class Program {
 public:
  explicit Program(double step_s, double noise = 0.0, unsigned seed = 1) : step_s_(step_s), noise_(noise, seed) {}
  void Run(StepRate& rate, double seconds, bool is_evaluating = false) {
    const double until = now_ + seconds;
    while (now_ < until) {
      now_ += 0.1;
      if (is_evaluating) next_ += 0.1;
      while (!is_evaluating && next_ <= now_) {
        count_ += 1.0;
        next_ += step_s_ * noise_.Next();
      }
      rate.Add({Seconds(now_), count_, Joules{100.0 * now_}, is_evaluating});
    }
  }
  void Stall(StepRate& rate, double seconds) {
    next_ += seconds;
    Run(rate, seconds);
  }
  double count() const { return count_; }

 private:
  struct Noise {
    Noise(double width, unsigned seed) : random(seed), spread(1.0 - width, 1.0 + width) {}
    double Next() { return spread(random); }
    std::mt19937 random;
    std::uniform_real_distribution<double> spread;
  };
  double step_s_;
  Noise noise_;
  double now_ = 0.0;
  double next_ = 0.0;
  double count_ = 0.0;
};

TEST(RateTest, SteadyStepsGiveTheirRate) {
  StepRate rate;
  Program(0.05).Run(rate, 60.0);
  const auto estimate = rate.Estimate();
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->steps_per_s, 20.0, 0.1);
  EXPECT_TRUE(estimate->exclusions.empty());
}

TEST(RateTest, NothingIsSaidOfTooLittle) {
  StepRate rate;
  EXPECT_FALSE(rate.Estimate());
  Program program(0.05);
  program.Run(rate, 2.5);
  EXPECT_FALSE(rate.Estimate());
  program.Run(rate, 10.0);
  EXPECT_TRUE(rate.Estimate());
  rate.Restart();
  EXPECT_FALSE(rate.Estimate());
}

TEST(RateTest, EvaluationsAndStallsDoNotBendTheRateAndAreTold) {
  StepRate rate;
  Program program(0.2, 0.2);
  program.Run(rate, 60.0);
  program.Run(rate, 30.0, true);
  program.Run(rate, 60.0);
  program.Stall(rate, 20.0);
  program.Run(rate, 60.0);
  const auto estimate = rate.Estimate();
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->steps_per_s, 5.0, 4.0 * estimate->standard_error + 0.05);
  EXPECT_GT(estimate->excluded.count(), 49.0);
  EXPECT_LT(estimate->excluded.count(), 60.0);
  std::vector<Exclusion> whys;
  for (const auto& exclusion : estimate->exclusions) whys.push_back(exclusion.why);
  EXPECT_THAT(whys, ::testing::ElementsAre(Exclusion::kEvaluation, Exclusion::kStall));
}

TEST(RateTest, AProgramThatBeginsAnewCountsOn) {
  StepRate rate;
  Program(0.1).Run(rate, 30.0);
  for (int i = 0; i <= 300; ++i) rate.Add({Seconds(31.0 + 0.1 * i), static_cast<double>(i)});
  const auto estimate = rate.Estimate();
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->steps_per_s, 10.0, 0.3);
  ASSERT_EQ(estimate->exclusions.size(), 1U);
  EXPECT_EQ(estimate->exclusions[0].why, Exclusion::kRestart);
}

TEST(RateTest, TheHoldsOfPacingArePartOfTheRate) {
  // 0.6 s of each second held: 40 % of 20 steps per second.
  StepRate rate(Seconds(4.0));
  double count = 0.0;
  for (int i = 0; i < 1200; ++i) {
    if (i % 20 < 8) count += 1.0;
    rate.Add({Seconds(0.05 * i), count});
  }
  const auto estimate = rate.Estimate();
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->steps_per_s, 8.0, 0.4);
  EXPECT_TRUE(estimate->exclusions.empty());
}

// Two thousand steps per report, or one step in ten seconds: partial steps are not lost.
TEST(RateTest, StepsThatAreSeldomToldAreCountedWhole) {
  for (const double every_s : {10.0, 33.3}) {
    StepRate rate;
    for (int i = 0; i < 3000; ++i) {
      const double now = 0.1 * i;
      rate.Add({Seconds(now), 2000.0 * std::floor((now + 4.2) / every_s), Joules{300.0 * now}});
    }
    const auto estimate = rate.Estimate();
    ASSERT_TRUE(estimate);
    EXPECT_NEAR(estimate->steps_per_s, 2000.0 / every_s, 2000.0 / every_s * 0.005);
    EXPECT_NEAR(estimate->energy / estimate->counted / Watts{300.0}, 1.0, 1e-9);
  }
}

// Of many programs with noisy steps the error bars hold the truth about as often as they should.
TEST(RateTest, ErrorBarsHoldTheTruth) {
  int inside = 0;
  constexpr int kRuns = 200;
  for (unsigned seed = 0; seed < kRuns; ++seed) {
    StepRate rate;
    Program(0.3, 0.8, seed).Run(rate, 120.0);
    const auto estimate = rate.Estimate();
    ASSERT_TRUE(estimate);
    inside += std::abs(estimate->steps_per_s - 1.0 / 0.3) < 2.0 * estimate->standard_error ? 1 : 0;
  }
  EXPECT_GE(inside, kRuns * 85 / 100);
}

RC_GTEST_PROP(RateTest, TimeIsCountedOrExcludedAndNeverTwice, ()) {
  StepRate rate;
  double now = 0.0;
  double count = 0.0;
  const int moments = *rc::gen::inRange(2, 200);
  for (int i = 0; i < moments; ++i) {
    now += *rc::gen::inRange(0, 50) * 0.1;
    count += *rc::gen::inRange(0, 5);
    rate.Add({Seconds(now), count, Joules{10.0 * now}, *rc::gen::inRange(0, 10) == 0});
  }
  const auto estimate = rate.Estimate();
  if (!estimate) return;
  RC_ASSERT((estimate->counted + estimate->excluded).count() <= now + 1e-9);
  RC_ASSERT(estimate->steps <= count);
  RC_ASSERT(estimate->steps_per_s > 0.0);
  RC_ASSERT(std::abs(estimate->energy.value - 10.0 * estimate->counted.count()) < 1e-6);
  RC_ASSERT(estimate->standard_error >= 0.0);
}

TEST(RateTest, AnIdleGpuWhileStepsGoOnIsInputBoundUnlessHeld) {
  StepRate rate;
  Program(0.05).Run(rate, 30.0);
  const auto estimate = *rate.Estimate();
  EXPECT_TRUE(JudgeInput(estimate, 0.3).is_input_bound);
  EXPECT_FALSE(JudgeInput(estimate, 0.95).is_input_bound);
  EXPECT_FALSE(JudgeInput(estimate, 0.38, 0.4).is_input_bound);
  EXPECT_NEAR(JudgeInput(estimate, 0.38, 0.4).busy_share, 0.95, 1e-9);
}

TEST(CounterSpeedTest, IsClockTimesActivity) {
  CounterSpeed speed(Megahertz(2000));
  EXPECT_FALSE(speed.relative_speed());
  speed.Add(Seconds(0), Megahertz(2000), 1.0);
  speed.Add(Seconds(10), Megahertz(1000), 0.8);
  EXPECT_NEAR(*speed.relative_speed(), 0.4, 1e-12);
  speed.Add(Seconds(20), Megahertz(2000), 1.0);
  EXPECT_NEAR(*speed.relative_speed(), 0.7, 1e-12);
  EXPECT_NEAR(speed.work().count(), 14.0, 1e-12);
  EXPECT_NEAR(*speed.mean_utilisation(), 0.9, 1e-12);
  speed.Add(Seconds(15), Megahertz(2000), 1.0);  // backwards: as if not read
  EXPECT_NEAR(speed.work().count(), 14.0, 1e-12);
}

}  // namespace
}  // namespace heliostat::training_progress
