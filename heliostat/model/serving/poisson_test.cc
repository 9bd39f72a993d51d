#include "heliostat/model/serving/poisson.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heliostat::serving {
namespace {

TEST(PoissonTest, SumsToOneAndHasItsMean) {
  for (const double mean : {1e-3, 0.7, 9.5, 40.0, 3000.0}) {
    double sum = 0;
    double first_moment = 0;
    const auto last = static_cast<std::int64_t>(mean + 20 * std::sqrt(mean) + 20);
    for (std::int64_t k = 0; k <= last; ++k) {
      sum += PoissonAt(k, mean);
      first_moment += static_cast<double>(k) * PoissonAt(k, mean);
    }
    EXPECT_NEAR(sum, 1, 1e-9) << mean;
    EXPECT_NEAR(first_moment, mean, 1e-8 * mean) << mean;
  }
}

TEST(PoissonTest, UpToIsTheSumFromWhereverItStarts) {
  for (const double mean : {1e-9, 0.3, 12.0, 700.0}) {
    for (const std::int64_t first : {-5, 0, 3, 11, 650, 720, 5000}) {
      const auto cumulative = PoissonUpTo(first, 40, mean);
      for (std::size_t i = 0; i < cumulative.size(); ++i) {
        const std::int64_t count = first + static_cast<std::int64_t>(i);
        double sum = 0;
        for (std::int64_t k = 0; k <= count; ++k) sum += PoissonAt(k, mean);
        ASSERT_NEAR(cumulative[i], sum, 1e-9) << "mean " << mean << " count " << count;
      }
    }
  }
}

TEST(PoissonTest, WithoutArrivalsIsZeroForSure) {
  EXPECT_EQ(PoissonAt(0, 0.0), 1.0);
  EXPECT_EQ(PoissonAt(1, 0.0), 0.0);
  EXPECT_EQ(PoissonUpTo(-1, 3, 0.0), (std::vector<double>{0.0, 1.0, 1.0}));
}

}  // namespace
}  // namespace heliostat::serving
