#include "heliostat/node/training_progress/lull.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat::training_progress {
namespace {

// Sampled ten times per second.
class Watched {
 public:
  double Step(double seconds, double step_s) {
    double told = 0.0;
    for (const double until = now_ + seconds; now_ < until;) {
      now_ += 0.1;
      for (since_step_ += 0.1; since_step_ >= step_s; since_step_ -= step_s) count_ += 1.0;
      told += lull_.Add(Seconds(now_), count_).count();
    }
    return told;
  }
  double Wait(double seconds) {
    double told = 0.0;
    for (const double until = now_ + seconds; now_ < until;) {
      now_ += 0.1;
      told += lull_.Add(Seconds(now_), count_).count();
    }
    return told;
  }
  void Evaluate(double seconds) {
    for (const double until = now_ + seconds; now_ < until;) lull_.Rest(Seconds(now_ += 0.1));
  }

 private:
  Lull lull_;
  double now_ = 100.0;
  double count_ = 0.0;
  double since_step_ = 0.0;
};

TEST(LullTest, StepsOfAnyLengthAreNone) {
  for (const double step_s : {0.01, 0.3, 1.0, 7.0, 60.0}) EXPECT_EQ(Watched().Step(900.0, step_s), 0.0) << step_s;
}

TEST(LullTest, AStopIsToldWholeButForOneStep) {
  Watched program;
  program.Step(60.0, 0.5);
  const double told = program.Wait(30.0) + program.Step(10.0, 0.5);
  EXPECT_NEAR(told, 30.0, 0.7);
}

TEST(LullTest, IsToldWhileItLasts) {
  Watched program;
  program.Step(60.0, 0.5);
  EXPECT_EQ(program.Wait(1.5), 0.0);
  EXPECT_GT(program.Wait(3.0), 3.0);
  EXPECT_NEAR(program.Wait(10.0), 10.0, 0.2);
}

TEST(LullTest, StartUpIsNone) {
  Watched program;
  EXPECT_EQ(program.Wait(100.0), 0.0);
  EXPECT_EQ(program.Step(60.0, 0.2), 0.0);
}

TEST(LullTest, AnEvaluationThatIsKnownIsNotToldAgain) {
  Watched program;
  program.Step(60.0, 0.5);
  program.Evaluate(40.0);
  EXPECT_EQ(program.Step(60.0, 0.5), 0.0);
}

TEST(LullTest, AProgramThatHasBecomeSlowIsBelieved) {
  Watched program;
  program.Step(60.0, 0.1);
  program.Step(100.0, 20.0);
  EXPECT_EQ(program.Step(600.0, 20.0), 0.0);
}

RC_GTEST_PROP(LullTest, NoMoreThanPassed, ()) {
  Lull lull;
  double now = 0.0;
  double count = 0.0;
  double told = 0.0;
  const int looks = *rc::gen::inRange(1, 300);
  for (int i = 0; i < looks; ++i) {
    now += 0.1 * *rc::gen::inRange(0, 200);
    count += *rc::gen::inRange(0, 2);
    const double news = lull.Add(Seconds(now), count).count();
    RC_ASSERT(news >= 0.0);
    told += news;
  }
  RC_ASSERT(told <= now + 1e-9);
}

}  // namespace
}  // namespace heliostat::training_progress
