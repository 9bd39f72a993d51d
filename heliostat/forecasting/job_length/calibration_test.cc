#include "heliostat/forecasting/job_length/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heliostat/base/core/random.h"

namespace heliostat::job_length {
namespace {

using namespace std::chrono_literals;

TEST(Calibration, AsksForMoreAfterALongJobAndForLessAfterShortOnes) {
  Calibration calibration;
  calibration.Learn(1h, 2h, 24h);
  const double raised = calibration.asked();
  EXPECT_GT(raised, kHighestShare);
  for (int i = 0; i < 19; ++i) calibration.Learn(1h, 30min, 24h);
  EXPECT_NEAR(calibration.asked(), kHighestShare, 1e-12);
}

TEST(Calibration, LearnsNothingFromACappedQuantileOrAnExactOne) {
  Calibration calibration;
  calibration.Learn(24h, 1h, 24h);
  calibration.Learn(1h, 1h, 24h);
  EXPECT_EQ(calibration.asked(), kHighestShare);
}

// The past is narrower than the future: without calibration its quantile of 95 % holds for 88 % of later jobs.
TEST(Calibration, MakesUpForAPastThatIsTooNarrow) {
  RandomStream random(5);
  Calibration calibration;
  int held = 0;
  constexpr int kJobs = 20000;
  for (int i = 0; i < kJobs; ++i) {
    const double predicted_s = -3600.0 * std::log(1.0 - calibration.asked());
    const double length_s = random.Exponential(1.4 * 3600.0);
    const Duration predicted{std::llround(predicted_s)};
    const Duration length{std::llround(length_s)};
    if (length <= predicted) ++held;
    calibration.Learn(predicted, length, Duration::max());
  }
  EXPECT_NEAR(static_cast<double>(held) / kJobs, kHighestShare, 0.005);
}

}  // namespace
}  // namespace heliostat::job_length
