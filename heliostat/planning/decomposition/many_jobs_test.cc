// Enough jobs to use several threads.
#include <gtest/gtest.h>

#include "heliostat/planning/decomposition/improve.h"
#include "heliostat/planning/decomposition/prices.h"
#include "heliostat/planning/decomposition/solve.h"
#include "heliostat/planning/decomposition/testing/made.h"

namespace heliostat::decomposition::testing {
namespace {

TEST(ManyJobs, AreAnsweredByThreadsAsFewAreByOne) {
  scenario::Shape shape = Small(3);
  shape.jobs = 90;
  const Made made(shape);
  const Prices prices = OpenPrices(made.model);
  const Reply all = Ask(made.model, prices, {});
  Model few = made.model;
  few.jobs.resize(40);
  const Reply some = Ask(few, prices, {});
  ASSERT_EQ(all.jobs.size(), 90U);
  for (std::size_t j = 0; j < few.jobs.size(); ++j) {
    EXPECT_EQ(all.jobs[j].bound, some.jobs[j].bound) << j;
    EXPECT_EQ(all.jobs[j].cost, some.jobs[j].cost) << j;
  }
}

scenario::Shape Many() {
  scenario::Shape shape = Small(4);
  shape.jobs = 90;
  shape.gpus = 96;
  return shape;
}

TEST(ManyJobs, FindTheSamePlacesWithOneThreadAndWithTwo) {
  const Made made(Many());
  const Prices prices = OpenPrices(made.model);
  const DraftPlan::Rents none(made.model.groups.size(), std::vector<double>(made.model.slots, 0.0));
  const auto never = [] { return false; };
  const auto swept = [&](unsigned threads) {
    DraftPlan draft(made.model);
    draft.Smooth(prices.energy, &none, 1.0, 0.0);
    Improver improver(draft, threads);
    improver.Fill(none, never);
    const double value = draft.Value();
    for (int i = 0; i < 2; ++i) improver.SweepInBlocks(9, never);
    EXPECT_LE(draft.Value(), value);
    return draft.content();
  };
  const DraftPlan::Content one = swept(1);
  const DraftPlan::Content two = swept(2);
  EXPECT_EQ(one.options, two.options);
  ASSERT_EQ(one.schedules.size(), two.schedules.size());
  for (std::size_t j = 0; j < one.schedules.size(); ++j) EXPECT_EQ(one.schedules[j], two.schedules[j]) << j;
}

TEST(ManyJobs, GetTheSamePlanWithOneThreadAndWithTwo) {
  const Made made(Many());
  const auto planned = [&](unsigned threads) {
    auto rounds = plan::Rounds::AtMost(8);
    return Solve(made.problem, {Seconds{600.0}, 1e-3, true, &rounds, threads});
  };
  const plan::Outcome one = planned(1);
  const plan::Outcome two = planned(2);
  ASSERT_TRUE(one.has_plan()) << one.reason;
  ASSERT_TRUE(two.has_plan());
  EXPECT_EQ(one.value, two.value);
  EXPECT_EQ(one.bound, two.bound);
  EXPECT_EQ(one.plan().nodes_on, two.plan().nodes_on);
}

}  // namespace
}  // namespace heliostat::decomposition::testing
