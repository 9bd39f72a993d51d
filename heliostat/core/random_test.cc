#include "heliostat/core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace heliostat {
namespace {

TEST(RandomStreamTest, SameSeedSameNumbers) {
  RandomStream a(42);
  RandomStream b(42);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(a.Next(), b.Next());
}

// Pins the numbers themselves: a change here changes every simulated result.
TEST(RandomStreamTest, NumbersNeverChange) {
  RandomStream stream(1);
  const std::uint64_t first = stream.Next();
  const std::uint64_t second = stream.Next();
  EXPECT_EQ(first, 12966619160104079557ULL);
  EXPECT_EQ(second, 9600361134598540522ULL);
}

TEST(RandomStreamTest, SplitDoesNotDependOnHowMuchTheParentDrew) {
  RandomStream fresh(7);
  RandomStream used(7);
  for (int i = 0; i < 100; ++i) used.Next();
  EXPECT_EQ(fresh.Split("wind").Next(), used.Split("wind").Next());
  EXPECT_NE(fresh.Split("wind").Next(), fresh.Split("solar").Next());
  EXPECT_NE(fresh.Split(std::uint64_t{0}).Next(), fresh.Split(std::uint64_t{1}).Next());
  EXPECT_NE(fresh.Split(std::uint64_t{0}).Next(), RandomStream(7).Next());
}

TEST(RandomStreamTest, DistributionsHaveTheirMoments) {
  RandomStream stream(3);
  constexpr int kDraws = 200000;
  double uniform = 0;
  double normal = 0;
  double normal_square = 0;
  double exponential = 0;
  for (int i = 0; i < kDraws; ++i) {
    uniform += stream.Uniform();
    const double z = stream.Normal(2, 3);
    normal += z;
    normal_square += (z - 2) * (z - 2);
    exponential += stream.Exponential(5);
  }
  EXPECT_NEAR(uniform / kDraws, 0.5, 0.005);
  EXPECT_NEAR(normal / kDraws, 2.0, 0.03);
  EXPECT_NEAR(std::sqrt(normal_square / kDraws), 3.0, 0.03);
  EXPECT_NEAR(exponential / kDraws, 5.0, 0.06);
}

TEST(RandomStreamTest, BelowIsUnbiased) {
  RandomStream stream(5);
  std::vector<int> seen(6);
  for (int i = 0; i < 60000; ++i) ++seen[stream.Below(6)];
  for (const int n : seen) EXPECT_NEAR(n, 10000, 400);
}

}  // namespace
}  // namespace heliostat
