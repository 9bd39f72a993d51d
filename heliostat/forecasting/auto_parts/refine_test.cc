#include "heliostat/forecasting/auto_parts/refine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace heliostat::auto_parts {
namespace {

TEST(RefineTest, KeepsAConstantConstant) {
  for (const std::size_t parts : {1U, 2U, 12U}) {
    const auto fine = Refine(std::vector<double>(5, 42.0), parts, 42, 42);
    ASSERT_EQ(fine.size(), 5 * parts);
    for (const double value : fine) EXPECT_NEAR(value, 42, 1e-12);
  }
}

TEST(RefineTest, KeepsAStraightLineStraight) {
  // Means 1, 2, 3 … of hours: a quarter of an hour is a quarter.
  const auto fine = Refine({1, 2, 3, 4}, 4, 0, 0.375);
  for (std::size_t i = 0; i < 14; ++i) EXPECT_NEAR(fine[i], 0.625 + 0.25 * static_cast<double>(i), 1e-12) << i;
}

TEST(RefineTest, NearlyKeepsTheMeanOfEachStep) {
  std::vector<double> coarse(24);
  for (std::size_t i = 0; i < coarse.size(); ++i) coarse[i] = 100 + 30 * std::sin(0.26 * static_cast<double>(i));
  const double last_coarse = 100 + 30 * std::sin(-0.26);
  const auto fine = Refine(coarse, 12, last_coarse, 96);
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    const double mean = std::accumulate(fine.begin() + static_cast<std::ptrdiff_t>(12 * i),
                                        fine.begin() + static_cast<std::ptrdiff_t>(12 * i + 12), 0.0) /
                        12;
    EXPECT_NEAR(mean, coarse[i], 1.0) << i;
  }
}

TEST(RefineTest, BeginsWhereTheNewestValueWasAndForgetsIt) {
  const auto fine = Refine(std::vector<double>(6, 50.0), 12, 50, 80);
  EXPECT_NEAR(fine[0], 80, 3);
  for (std::size_t i = 1; i < fine.size(); ++i) EXPECT_LT(fine[i], fine[i - 1]);
  EXPECT_NEAR(fine[2 * 12], 50, 5);
  EXPECT_NEAR(fine.back(), 50, 0.1);
}

TEST(RefineTest, KeepsToTheLineWhenTheNewestValueIsNotKnown) {
  const auto fine = Refine({1, 2, 3, 4}, 4, 0, std::nullopt);
  for (std::size_t i = 0; i < 14; ++i) EXPECT_NEAR(fine[i], 0.625 + 0.25 * static_cast<double>(i), 1e-12) << i;
}

TEST(RefineTest, OfNothingIsNothing) { EXPECT_TRUE(Refine({}, 12, 50, 80).empty()); }

}  // namespace
}  // namespace heliostat::auto_parts
