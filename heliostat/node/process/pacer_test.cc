#include "heliostat/node/process/pacer.h"

#include <gtest/gtest.h>

namespace heliostat::process {
namespace {

using std::chrono::milliseconds;

const Pacer::Time kStart = Pacer::Time(std::chrono::hours(5));

// The share of ten seconds in which the program runs, when asked as often as told to.
double RunShare(Pacer& pacer, double duty, milliseconds late = milliseconds(0)) {
  Pacer::Time now = kStart;
  Pacer::Time::duration run{};
  while (now < kStart + std::chrono::seconds(10)) {
    const Pacer::Phase phase = pacer.At(now, duty);
    EXPECT_GT(phase.until, now);
    if (phase.should_run) run += phase.until + late - now;
    now = phase.until + late;
  }
  return std::chrono::duration<double>(run).count() / std::chrono::duration<double>(now - kStart).count();
}

TEST(PacerTest, TheProgramRunsForItsShareOfTheTime) {
  for (const double duty : {0.3, 0.5, 0.9, 1.0}) {
    Pacer pacer;
    EXPECT_NEAR(RunShare(pacer, duty), duty, 0.02) << duty;
  }
}

TEST(PacerTest, LateCallsDoNotAddUp) {
  Pacer pacer;
  EXPECT_NEAR(RunShare(pacer, 0.5, milliseconds(5)), 0.5, 0.02);
}

TEST(PacerTest, AtFullDutyItIsNeverHeld) {
  Pacer pacer;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(pacer.At(kStart + i * milliseconds(37), 1.0).should_run);
}

TEST(PacerTest, AfterALongPauseASecondBeginsWithRunning) {
  Pacer pacer;
  (void)pacer.At(kStart, 0.5);
  EXPECT_FALSE(pacer.At(kStart + milliseconds(700), 0.5).should_run);
  EXPECT_TRUE(pacer.At(kStart + std::chrono::minutes(3) + milliseconds(700), 0.5).should_run);
}

}  // namespace
}  // namespace heliostat::process
