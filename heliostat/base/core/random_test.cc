#include "heliostat/base/core/random.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace heliostat {
namespace {

TEST(RandomStreamTest, SameSeedSameNumbers) {
  RandomStream a(42);
  RandomStream b(42);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(a.Next(), b.Next());
}

// Fixes the numbers: a change here changes every simulated result.
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

RC_GTEST_PROP(RandomStreamLaws, EveryDrawStaysInItsRange, (std::uint64_t seed)) {
  RandomStream stream(seed);
  const auto bound = *rc::gen::inRange<std::uint64_t>(1, 1000);
  for (int i = 0; i < 100; ++i) {
    const double unit = stream.Uniform();
    RC_ASSERT(unit >= 0 && unit < 1);
    const double between = stream.Uniform(-3, 8);
    RC_ASSERT(between >= -3 && between < 8);
    RC_ASSERT(stream.Below(bound) < bound);
    RC_ASSERT(stream.Exponential(2) >= 0);
    RC_ASSERT(std::isfinite(stream.Normal()));
    RC_ASSERT(!stream.Chance(0));
    RC_ASSERT(stream.Chance(1));
  }
}

RC_GTEST_PROP(RandomStreamLaws, AChildKnowsItsParentsSeedAndItsNameAlone, (std::uint64_t seed, std::string name)) {
  RandomStream parent(seed);
  RandomStream early = parent.Split(name);
  for (int i = 0; i < 10; ++i) parent.Next();
  parent.Split("another").Next();
  RandomStream late = parent.Split(name);
  for (int i = 0; i < 10; ++i) RC_ASSERT(early.Next() == late.Next());
}

// Streams by name, by index, of grandchildren and of neighbouring seeds: no two start with the same number.
TEST(RandomStreamTest, StreamsOfAFamilyAreDifferent) {
  std::set<std::uint64_t> firsts;
  int streams = 0;
  const auto add = [&](RandomStream stream) {
    firsts.insert(stream.Next());
    ++streams;
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomStream parent(seed);
    add(parent);
    for (std::uint64_t i = 0; i < 50; ++i) {
      add(parent.Split(i));
      add(parent.Split(fmt::format("job-{}", i)));
      add(parent.Split("jobs").Split(i));
      add(parent.Split(i).Split("jobs"));
    }
  }
  EXPECT_EQ(firsts.size(), static_cast<std::size_t>(streams));
}

// Simulations draw from sibling streams in parallel; the streams must be uncorrelated.
TEST(RandomStreamTest, SiblingsAreUncorrelated) {
  constexpr int kDraws = 20000;
  const RandomStream parent(11);
  for (std::uint64_t i = 0; i < 10; ++i) {
    RandomStream a = parent.Split(i);
    RandomStream b = parent.Split(i + 1);
    double product = 0;
    for (int n = 0; n < kDraws; ++n) product += (a.Uniform() - 0.5) * (b.Uniform() - 0.5);
    EXPECT_NEAR(product / kDraws * 12, 0, 0.035);  // five standard deviations
  }
}

TEST(RandomStreamTest, AChanceComesAsOftenAsItSays) {
  RandomStream stream(8);
  for (const double chance : {0.01, 0.3, 0.9}) {
    int hits = 0;
    for (int i = 0; i < 50000; ++i) hits += stream.Chance(chance) ? 1 : 0;
    EXPECT_NEAR(hits / 50000.0, chance, 5 * std::sqrt(chance * (1 - chance) / 50000));
  }
}

TEST(RandomStreamTest, HugeBoundsAreReached) {
  RandomStream stream(9);
  const std::uint64_t bound = (std::uint64_t{1} << 63) + 1;  // half of all draws are rejected
  std::uint64_t most = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t draw = stream.Below(bound);
    ASSERT_LT(draw, bound);
    most = std::max(most, draw);
  }
  EXPECT_GT(most, bound / 100 * 98);
}

TEST(RandomStreamDeathTest, ThereIsNothingBelowZero) { EXPECT_DEATH(RandomStream(1).Below(0), "a bound above 0"); }

}  // namespace
}  // namespace heliostat
