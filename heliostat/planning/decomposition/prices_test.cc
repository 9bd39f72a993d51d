#include "heliostat/planning/decomposition/prices.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "heliostat/base/core/random.h"
#include "heliostat/planning/decomposition/solve.h"
#include "heliostat/planning/decomposition/testing/made.h"

namespace heliostat::decomposition {
namespace {

using testing::Made;
using testing::Small;

scenario::Shape AnyShape() {
  scenario::Shape shape = Small(*rc::gen::inRange<std::uint64_t>(1, 100000));
  shape.jobs = *rc::gen::inRange<std::size_t>(0, 7);
  shape.slots = *rc::gen::element<std::size_t>(6, 6, 6, 12, 12, 30);
  shape.services = *rc::gen::inRange<std::size_t>(0, 3);
  shape.groups = *rc::gen::inRange<std::size_t>(1, 3);
  shape.best_effort = *rc::gen::element(0.0, 0.3);
  shape.in_one_piece = *rc::gen::element(0.0, 0.5);
  shape.renewable_share = *rc::gen::element(0.0, 0.3, 1.0);
  return shape;
}

// Prices about the open ones: up to twice as high, or nothing at all.
Prices AnyPrices(const Model& model) {
  Prices prices = OpenPrices(model);
  RandomStream random(*rc::gen::inRange<std::uint64_t>(0, 1000000));
  for (double& price : prices.energy) price *= random.Uniform(0.0, 2.0);
  for (auto& group : prices.rent) {
    for (double& rent : group) rent *= random.Chance(0.2) ? 0.0 : random.Uniform(0.0, 2.0);
  }
  return prices;
}

plan::Weights AnyWeights() {
  return *rc::gen::element(testing::kCarbon, plan::Weights{0.0, 1.0, 0.0, 0.0}, plan::Weights{0.0, 0.0, 1.0, 0.0},
                           plan::Weights{1.0, 0.0, 0.0, 0.5});
}

// No plan costs less than the bound at any prices: this makes a gap a proof.
TEST(Prices, WhateverTheyAreNoPlanBeatsTheirBound) {
  rc::check([] {
    plan::Limits limits;
    limits.right_sizing = *rc::gen::inRange(0, 4) > 0;
    const Made made(AnyShape(), AnyWeights(), limits);
    const plan::Outcome outcome = Solve(made.problem, {});
    if (!outcome.has_plan()) return;
    const double scale = 1e-9 * (1.0 + std::abs(outcome.value));
    for (int i = 0; i < 4; ++i) {
      const Prices prices = AnyPrices(made.model);
      const Reply reply = Ask(made.model, prices, {});
      RC_ASSERT(reply.bound <= outcome.value + scale);
      if (!limits.right_sizing) continue;
      RC_ASSERT(BoundWithServiceNodes(made.model, prices, reply.jobs) <= outcome.value + scale);
    }
  });
}

TEST(Prices, OpenOnesAreThoseOfTheGrid) {
  const Made made(Small(3));
  const Prices prices = OpenPrices(made.model);
  ASSERT_EQ(prices.energy.size(), made.model.slots);
  for (std::size_t t = 0; t < made.model.slots; ++t) {
    EXPECT_DOUBLE_EQ(prices.energy[t], InGramsPerKwh(made.scenario.carbon[t]) / 1000.0);
    for (std::size_t g = 0; g < made.model.groups.size(); ++g) {
      const GroupModel& group = made.model.groups[g];
      EXPECT_DOUBLE_EQ(prices.rent[g][t], prices.energy[t] * group.on_kwh / group.gpus_per_node);
    }
  }
}

// With lower prices, the cost of a job can only fall.
TEST(Prices, AJobPaysNoMoreWhenPricesFall) {
  rc::check([] {
    const Made made(AnyShape());
    const Prices dear = OpenPrices(made.model);
    Prices cheap = dear;
    const double share = 0.1 * *rc::gen::inRange(1, 10);
    for (double& price : cheap.energy) price *= share;
    for (auto& group : cheap.rent) {
      for (double& rent : group) rent *= share;
    }
    const Reply before = Ask(made.model, dear, {});
    const Reply after = Ask(made.model, cheap, {});
    for (std::size_t j = 0; j < before.jobs.size(); ++j) {
      RC_ASSERT(before.jobs[j].feasible == after.jobs[j].feasible);
      if (!before.jobs[j].feasible) continue;
      const double scale = 1e-6 * (1.0 + std::abs(before.jobs[j].bound));
      RC_ASSERT(after.jobs[j].bound <= before.jobs[j].bound + scale);
    }
  });
}

TEST(Prices, EveryJobAnswersWithASchedule) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Made made(Small(seed));
    const Reply reply = Ask(made.model, OpenPrices(made.model), {});
    for (std::size_t j = 0; j < reply.jobs.size(); ++j) {
      const Response& job = reply.jobs[j];
      ASSERT_TRUE(job.feasible);
      EXPECT_GE(SamplesOf(made.model.jobs[j], job.schedule), made.model.jobs[j].samples * (1.0 - 1e-9));
      EXPECT_LE(job.bound, job.cost + 1e-9 * std::abs(job.cost));
    }
    for (std::size_t s = 0; s < reply.options.size(); ++s) {
      for (std::size_t t = 0; t < made.model.slots; ++t) {
        EXPECT_LT(reply.options[s][t], made.model.services[s][t].size());
      }
    }
  }
}

// Former replies save time and do not change the results.
TEST(Prices, AskedAgainFromTheirOwnAnswersJobsSayTheSame) {
  const Made made(Small(4));
  const Prices prices = OpenPrices(made.model);
  const Reply first = Ask(made.model, prices, {});
  const Reply second = Ask(made.model, prices, first.jobs);
  EXPECT_NEAR(first.bound, second.bound, 1e-6 * std::abs(first.bound));
}

TEST(Prices, AsManyJobsAsTakeSeveralThreadsAnswerAlike) {
  scenario::Shape shape = Small(5);
  shape.jobs = 80;
  shape.gpus = 256;
  const Made made(shape);
  const Prices prices = OpenPrices(made.model);
  const Reply first = Ask(made.model, prices, {});
  const Reply second = Ask(made.model, prices, {});
  EXPECT_EQ(first.bound, second.bound);
  for (std::size_t j = 0; j < first.jobs.size(); ++j) EXPECT_EQ(first.jobs[j].bound, second.jobs[j].bound);
}

}  // namespace
}  // namespace heliostat::decomposition
