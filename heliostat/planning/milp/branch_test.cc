#include "heliostat/planning/milp/branch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heliostat/planning/milp/testing/any_scenario.h"

namespace heliostat::milp {
namespace {

using testing::AnyOf;

constexpr BranchEffort kToTheEnd{Seconds{10.0}, 0.0};

// A few whole columns from 0 to 3, and a few rows of small numbers.
Linear AnyProgramme(RandomStream& random) {
  Linear linear;
  linear.constant = AnyOf(-5, 5, random);
  const int columns = AnyOf(1, 4, random);
  for (int i = 0; i < columns; ++i) {
    linear.AddColumn({0.0, 3.0, static_cast<double>(AnyOf(-5, 5, random)), true});
  }
  for (int row = AnyOf(1, 3, random); row > 0; --row) {
    std::vector<Term> terms;
    for (int i = 0; i < columns; ++i) terms.push_back({i, static_cast<double>(AnyOf(-3, 3, random))});
    const double lower = AnyOf(-6, 3, random);
    linear.AddRow(lower, lower + AnyOf(0, 7, random), terms);
  }
  return linear;
}

double ValueOf(const Linear& linear, const std::vector<double>& values) {
  double value = linear.constant;
  for (std::size_t i = 0; i < values.size(); ++i) value += linear.columns[i].cost * values[i];
  return value;
}

bool Keeps(const Linear& linear, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < linear.columns[i].lower - 1e-6 || values[i] > linear.columns[i].upper + 1e-6) return false;
  }
  for (const Linear::Row& row : linear.rows) {
    double sum = 0.0;
    for (const Term& term : row.terms) sum += term.factor * values[static_cast<std::size_t>(term.column)];
    if (sum < row.lower - 1e-6 || sum > row.upper + 1e-6) return false;
  }
  return true;
}

// The least value over every whole solution; infinite when there is none.
double LeastOfAll(const Linear& linear, std::vector<double>& values) {
  if (values.size() == linear.columns.size()) {
    return Keeps(linear, values) ? ValueOf(linear, values) : std::numeric_limits<double>::infinity();
  }
  double least = std::numeric_limits<double>::infinity();
  for (int value = 0; value <= 3; ++value) {
    values.push_back(value);
    least = std::min(least, LeastOfAll(linear, values));
    values.pop_back();
  }
  return least;
}

TEST(Branch, FindsTheBestOfAllWholeSolutions) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const Linear linear = AnyProgramme(random);
    std::vector<double> none;
    const double least = LeastOfAll(linear, none);
    const Branched found = SolveWhole(linear, {}, kToTheEnd);
    if (std::isinf(least)) {
      ASSERT_TRUE(found.values.empty());
      continue;
    }
    ASSERT_TRUE(found.ended == Ended::kSolved);
    ASSERT_TRUE(found.values.size() == linear.columns.size());
    ASSERT_TRUE(Keeps(linear, found.values));
    ASSERT_TRUE(std::abs(ValueOf(linear, found.values) - least) <= 1e-6);
    ASSERT_TRUE(found.bound <= least + 1e-6);
    ASSERT_TRUE(found.bound >= least - 1e-3 * (1.0 + std::abs(least)));
  }
}

TEST(Branch, FractionsAreNeverDearerThanWholeNumbers) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const Linear linear = AnyProgramme(random);
    std::vector<double> none;
    const double least = LeastOfAll(linear, none);
    const Relaxed relaxed = SolveRelaxed(linear, Seconds{10.0});
    if (std::isinf(least)) continue;
    ASSERT_TRUE(relaxed.ended == Ended::kSolved);
    ASSERT_TRUE(relaxed.value <= least + 1e-6);
    ASSERT_TRUE(Keeps(linear, relaxed.values));
    ASSERT_TRUE(std::abs(ValueOf(linear, relaxed.values) - relaxed.value) <= 1e-6);
  }
}

// The result does not depend on the start; a start that is not a solution is ignored.
TEST(Branch, AStartChangesNothingButTime) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const Linear linear = AnyProgramme(random);
    std::vector<std::pair<int, double>> start;
    for (std::size_t i = 0; i < linear.columns.size(); ++i) {
      start.emplace_back(static_cast<int>(i), static_cast<double>(AnyOf(0, 3, random)));
    }
    const Branched cold = SolveWhole(linear, {}, kToTheEnd);
    const Branched warm = SolveWhole(linear, start, kToTheEnd);
    ASSERT_TRUE(cold.values.empty() == warm.values.empty());
    if (cold.values.empty()) continue;
    ASSERT_TRUE(std::abs(ValueOf(linear, cold.values) - ValueOf(linear, warm.values)) <= 1e-6);
  }
}

TEST(Branch, HoldsColumnsAtTheirValues) {
  Linear linear;
  const int a = linear.AddColumn({0.0, 10.0, 1.0, false});
  const int b = linear.AddColumn({0.0, 10.0, 3.0, true});
  linear.AddRow(5.0, kUnlimited, {{a, 1.0}, {b, 1.0}});
  const Relaxed free = SolveRelaxed(linear, Seconds{10.0});
  ASSERT_EQ(free.ended, Ended::kSolved);
  EXPECT_NEAR(free.value, 5.0, 1e-6);
  const Relaxed held = SolveRelaxed(Fixed(linear, {{b, 2.0}}), Seconds{10.0});
  ASSERT_EQ(held.ended, Ended::kSolved);
  EXPECT_NEAR(held.value, 3.0 + 6.0, 1e-6);
  EXPECT_NEAR(held.values[static_cast<std::size_t>(b)], 2.0, 1e-9);
}

TEST(Branch, SeesThatNothingIsFeasible) {
  Linear linear;
  const int a = linear.AddColumn({0.0, 1.0, 1.0, true});
  linear.AddRow(2.0, kUnlimited, {{a, 1.0}});
  EXPECT_EQ(SolveRelaxed(linear, Seconds{10.0}).ended, Ended::kInfeasible);
  EXPECT_EQ(SolveWhole(linear, {}, kToTheEnd).ended, Ended::kInfeasible);
}

TEST(Branch, WithoutTimeNothingIsClaimed) {
  Linear linear;
  const int a = linear.AddColumn({0.0, 3.0, -1.0, true});
  linear.AddRow(-kUnlimited, 2.5, {{a, 1.0}});
  const Branched found = SolveWhole(linear, {}, {Seconds{0.0}, 0.0});
  EXPECT_LE(found.bound, -2.0 + 1e-6) << "the best is 2";
  if (!found.values.empty()) {
    EXPECT_TRUE(Keeps(linear, found.values));
  }
}

}  // namespace
}  // namespace heliostat::milp
