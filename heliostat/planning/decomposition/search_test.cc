#include "heliostat/planning/decomposition/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/planning/decomposition/testing/made.h"

namespace heliostat::decomposition {
namespace {

using ::testing::HasSubstr;
using testing::Made;
using testing::Small;

TEST(SearchSchedule, SweepsAtEverSmallerWidths) {
  for (const SearchSchedule& schedule : {SearchSchedule::Cold(), SearchSchedule::Warm(), SearchSchedule::Mend()}) {
    ASSERT_FALSE(schedule.sweep_widths.empty());
    for (std::size_t i = 1; i < schedule.sweep_widths.size(); ++i) {
      EXPECT_LT(schedule.sweep_widths[i], schedule.sweep_widths[i - 1]);
    }
    EXPECT_GT(schedule.sweep_widths.back(), 0.0) << "the true cost comes last, and by itself";
    EXPECT_GE(schedule.rounds, 1);
  }
}

TEST(SearchSchedule, WhatIsKnownSavesRounds) {
  EXPECT_GT(SearchSchedule::Cold().rounds, SearchSchedule::Warm().rounds);
  EXPECT_GT(SearchSchedule::Warm().rounds, SearchSchedule::Mend().rounds);
  EXPECT_EQ(SearchSchedule::Cold().rounds_known, 0);
  EXPECT_GT(SearchSchedule::Warm().rounds_known, 0);
  EXPECT_GE(SearchSchedule::Warm().last_sweeps, SearchSchedule::Mend().last_sweeps);
}

TEST(Search, PricesGiveABoundBelowTheBoard) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Made made(Small(seed));
    Search search(made.problem, made.model, {}, nullptr);
    search.FindPrices();
    ASSERT_FALSE(search.infeasible()) << search.why();
    const double bound = search.bound();
    EXPECT_TRUE(std::isfinite(bound));
    ASSERT_TRUE(search.FindPlan()) << search.why();
    EXPECT_GE(search.bound(), bound) << "a bound is never given up";
    EXPECT_LE(search.bound(), search.draft().Value() * (1.0 + 1e-9)) << seed;
    EXPECT_TRUE(search.draft().Fits());
  }
}

TEST(Search, WithoutAProofNothingIsClaimed) {
  const Made made(Small(3));
  Search first(made.problem, made.model, {}, nullptr);
  first.FindPrices();
  ASSERT_TRUE(first.FindPlan());
  const SearchMemory::Content known = first.Remember(plan::EmptyPlan(made.scenario));
  Search mended(made.problem, made.model, {Seconds{60.0}, 1e-3, false}, &known);
  mended.FindPrices();
  ASSERT_TRUE(mended.FindPlan()) << mended.why();
  EXPECT_EQ(mended.bound(), -std::numeric_limits<double>::infinity());
  EXPECT_LE(mended.draft().Value(), first.draft().Value() * 1.05);
}

TEST(Search, RemembersPricesAndSchedulesOfAllJobs) {
  const Made made(Small(4));
  Search search(made.problem, made.model, {}, nullptr);
  search.FindPrices();
  ASSERT_TRUE(search.FindPlan());
  const SearchMemory::Content known = search.Remember(plan::EmptyPlan(made.scenario));
  EXPECT_EQ(known.step, made.scenario.step);
  EXPECT_EQ(known.weights, made.problem.weights);
  EXPECT_EQ(known.energy.size(), made.scenario.slots);
  EXPECT_EQ(known.jobs.size(), made.scenario.jobs.size());
  EXPECT_EQ(known.shortage.size(), made.scenario.groups.size());
}

TEST(Search, NamesTheJobsThatCannotBeDone) {
  scenario::Scenario hopeless = scenario::Generate(Small(5));
  hopeless.jobs[2].samples = 1e15;
  const Made made(std::move(hopeless));
  Search search(made.problem, made.model, {}, nullptr);
  search.FindPrices();
  EXPECT_TRUE(search.infeasible());
  EXPECT_EQ(search.unplaced(), (std::vector<std::size_t>{2}));
  EXPECT_THAT(search.why(), HasSubstr(made.scenario.jobs[2].id));
}

TEST(Search, EndsWhenTimeIsUp) {
  const Made made(Small(6));
  Search search(made.problem, made.model, {Seconds{0.0}, 1e-3}, nullptr);
  search.FindPrices();
  EXPECT_TRUE(std::isfinite(search.bound())) << "one bound is always asked for";
  EXPECT_LE(search.bound(), 1e12);
}

}  // namespace
}  // namespace heliostat::decomposition
