// Laws of searches that follow one another, on many random tiny scenarios. `--gtest_shuffle --gtest_repeat=N` tests
// them on N times as many.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heliostat/planning/decomposition/solve.h"
#include "heliostat/planning/plan/check.h"
#include "heliostat/planning/plan/testing/tiny_scenario.h"

namespace heliostat::decomposition {
namespace {

constexpr std::uint64_t kCases = 1000;

// Other seeds in each repetition with --gtest_shuffle.
std::uint64_t FirstSeed() {
  const int round = GTEST_FLAG_GET(shuffle) ? ::testing::UnitTest::GetInstance()->random_seed() : 0;
  return kCases * static_cast<std::uint64_t>(round);
}

TEST(TinySearchLaw, WithoutNewsThePlanStaysUnlessABetterOneIsFound) {
  std::size_t same = 0;
  for (std::uint64_t seed = FirstSeed(); seed < FirstSeed() + kCases; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const scenario::Scenario scenario = plan::testing::TinyScenario(0.5, random);
    const plan::Problem problem{scenario, {.carbon_kg = 1.0, .energy_kwh = 1e-4}, {}};
    SearchMemory memory;
    const plan::Outcome first = Solve(problem, {.proof = false, .threads = 1}, &memory);
    if (!first.has_plan()) continue;
    for (const bool fresh : {false, true}) {
      SearchMemory then = memory;
      if (fresh) then.ForgetPrices();
      const plan::Outcome again = Solve(problem, {.proof = false, .threads = 1}, &then);
      ASSERT_TRUE(again.has_plan());
      ASSERT_LE(again.value, first.value + 1e-9 * std::abs(first.value)) << fresh;
      if (again.value < first.value - 1e-9 * std::abs(first.value)) continue;
      for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
        ASSERT_EQ(again.plan().jobs[j].segments, first.plan().jobs[j].segments) << fresh << " job " << j;
      }
      ++same;
    }
  }
  EXPECT_GE(same, kCases) << "hardly any plan stays";
}

}  // namespace
}  // namespace heliostat::decomposition
