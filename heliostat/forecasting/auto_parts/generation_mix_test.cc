#include "heliostat/forecasting/auto_parts/generation_mix.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/base/core/random.h"

namespace heliostat::auto_parts {
namespace {

const std::vector<double> kFactors{12, 490, 820, 230};

struct Made {
  regression::Matrix power;
  std::vector<double> intensity;
};

// Plants with varying power, and the resulting intensity. `resting` never runs.
Made Mix(std::size_t rows, double noise = 0, std::size_t resting = 99) {
  RandomStream random(5);
  Made made{regression::Matrix::Zeros(rows, kFactors.size()), {}};
  for (std::size_t t = 0; t < rows; ++t) {
    const auto row = made.power.Row(t);
    for (std::size_t s = 0; s < row.size(); ++s) row[s] = s == resting ? 0 : 1000 * random.Uniform();
    made.intensity.push_back(*IntensityOf(row, kFactors) * std::exp(random.Normal(0, noise)));
  }
  return made;
}

TEST(MixTest, FindsTheFactorsThatWereUsed) {
  const auto made = Mix(500);
  const auto found = FindFactors(made.power, made.intensity);
  ASSERT_TRUE(found);
  for (std::size_t s = 0; s < 4; ++s) EXPECT_NEAR(found->of_source[s] / kFactors[s], 1, 1e-3) << s;
  EXPECT_LT(found->error, 1e-6);
}

TEST(MixTest, FindsThemBesideASourceThatNeverRuns) {
  const auto made = Mix(500, 0, 2);
  const auto found = FindFactors(made.power, made.intensity);
  ASSERT_TRUE(found);
  for (const std::size_t s : {0U, 1U, 3U}) EXPECT_NEAR(found->of_source[s] / kFactors[s], 1, 1e-3) << s;
  EXPECT_EQ(found->of_source[2], 0) << "nothing is known of it";
}

TEST(MixTest, FindsThemInNoiseAndSaysHowGoodTheyAre) {
  const auto made = Mix(3000, 0.03);
  const auto found = FindFactors(made.power, made.intensity);
  ASSERT_TRUE(found);
  for (const std::size_t s : {1U, 2U, 3U}) EXPECT_NEAR(found->of_source[s] / kFactors[s], 1, 0.03) << s;
  EXPECT_NEAR(found->error, 0.03 * std::sqrt(2 / 3.14159), 0.003);
}

TEST(MixTest, GivesNoPlantAFactorBelowZero) {
  // An intensity that decreases with the second source faster than any plant can explain.
  RandomStream random(6);
  Made made{regression::Matrix::Zeros(200, 2), {}};
  for (std::size_t t = 0; t < 200; ++t) {
    made.power.Row(t)[0] = 1;
    made.power.Row(t)[1] = random.Uniform();
    made.intensity.push_back(500 - 400 * made.power.Row(t)[1]);
  }
  const auto found = FindFactors(made.power, made.intensity);
  ASSERT_TRUE(found);
  for (const double factor : found->of_source) EXPECT_GE(factor, 0);
  EXPECT_GT(found->error, 0.05);
}

TEST(MixTest, PassesOverHoursWithoutGeneration) {
  auto made = Mix(500);
  for (const std::size_t t : {3U, 77U}) {
    for (double& power : made.power.Row(t)) power = 0;
    made.intensity[t] = 9999;
  }
  const auto found = FindFactors(made.power, made.intensity);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->of_source[1] / kFactors[1], 1, 1e-3);
}

TEST(MixTest, SaysNothingWhenThereIsTooLittle) {
  const auto made = Mix(15);
  EXPECT_FALSE(FindFactors(made.power, made.intensity)) << "fewer than four rows a source";
  EXPECT_FALSE(FindFactors(regression::Matrix::Zeros(50, 2), std::vector<double>(50, 300.0)));
  EXPECT_FALSE(IntensityOf(std::vector<double>{0, 0, 0, 0}, kFactors));
  EXPECT_FALSE(IntensityOf({}, {}));
  EXPECT_EQ(IntensityOf(std::vector<double>{0, 3, 0, 0}, kFactors), 490);
}

}  // namespace
}  // namespace heliostat::auto_parts
