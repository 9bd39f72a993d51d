#include "heliostat/signals/synthetic/noise.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heliostat::synthetic {
namespace {

const RandomStream kStream(7);

TEST(OrnsteinUhlenbeckTest, AValueDoesNotDependOnTheRangeItIsAskedIn) {
  const auto whole = OrnsteinUhlenbeck(kStream, 30, -10000, 20000);
  for (const std::int64_t first : {-10000, -8193, -8192, -1, 0, 1, 4095, 8191, 8192, 9990}) {
    const auto part = OrnsteinUhlenbeck(kStream, 30, first, 10);
    for (std::size_t i = 0; i < part.size(); ++i) {
      EXPECT_EQ(part[i], whole[static_cast<std::size_t>(first + 10000) + i]) << first + static_cast<std::int64_t>(i);
    }
  }
}

TEST(OrnsteinUhlenbeckTest, HasUnitVarianceAndForgetsExponentially) {
  for (const double tau : {1.5, 12.0, 120.0}) {
    const auto values = OrnsteinUhlenbeck(kStream, tau, 0, 800000);
    for (const std::size_t lag : {0U, 1U, 7U, 24U}) {
      double sum = 0;
      for (std::size_t i = lag; i < values.size(); ++i) sum += values[i] * values[i - lag];
      const double covariance = sum / static_cast<double>(values.size() - lag);
      EXPECT_NEAR(covariance, std::exp(-static_cast<double>(lag) / tau), 0.06) << "tau " << tau << " lag " << lag;
    }
  }
}

TEST(OrnsteinUhlenbeckTest, OtherStreamsGiveOtherValues) {
  EXPECT_NE(OrnsteinUhlenbeck(kStream, 5, 0, 3), OrnsteinUhlenbeck(RandomStream(8), 5, 0, 3));
}

TEST(OrnsteinUhlenbeckTest, OfNothingIsNothing) { EXPECT_TRUE(OrnsteinUhlenbeck(kStream, 5, 100, 0).empty()); }

}  // namespace
}  // namespace heliostat::synthetic
