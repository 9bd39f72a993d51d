#include "heliostat/node/level_control/budget_plan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "heliostat/node/level_control/testing/made_options.h"

namespace heliostat::level_control {
namespace {

using testing::A40Options;
using testing::AnyOptions;
using testing::AnySlots;
using testing::PacedOptions;

struct Played {
  double work = 0.0;
  double time = 0.0;
  double cost = 0.0;
};

// The plan's own promises, added up from its shares.
Played Play(const BudgetPlan& plan, const std::vector<LevelOption>& options, std::vector<Slot> slots) {
  slots = Extended(std::move(slots), plan.takes);
  Played played;
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    for (const Share& share : plan.slots[i]) {
      played.time += share.time.count();
      played.work += share.time.count() * options[share.option].speed;
      played.cost += share.time.count() * options[share.option].power.value * slots[i].cost_per_joule;
    }
  }
  return played;
}

// Cost of running at one mixture all the way, ending at `end`.
double CostOfConstant(double power, std::vector<Slot> slots, double end) {
  slots = Extended(std::move(slots), Seconds{end});
  double cost = 0.0;
  for (const Slot& slot : slots) {
    const double time = std::min(end, slot.length.count());
    cost += time * power * slot.cost_per_joule;
    end -= time;
  }
  return cost;
}

double FastestSpeed(const std::vector<LevelOption>& options) { return options[FastestOf(options)].speed; }

RC_GTEST_PROP(BudgetPlanTest, TheWorkIsDoneInTimeForTheCostThatIsSaid, ()) {
  const auto options = *AnyOptions();
  const auto slots = *AnySlots();
  const double hours = 0.1 * *rc::gen::inRange(1, 200);
  const double work = 3600.0 * hours * FastestSpeed(options);
  const Seconds budget{3600.0 * hours * (1.0 + 0.01 * *rc::gen::inRange(0, 80))};
  const BudgetPlan plan = PlanWithin(options, slots, work, budget);
  RC_ASSERT(plan.is_feasible);
  RC_ASSERT(plan.takes.count() <= budget.count() * (1.0 + 1e-9));
  const Played played = Play(plan, options, slots);
  RC_ASSERT(std::abs(played.work - work) <= 1e-6 * work);
  RC_ASSERT(std::abs(played.time - plan.takes.count()) <= 1e-6 * played.time);
  RC_ASSERT(std::abs(played.cost - plan.cost) <= 1e-6 * played.cost);
}

RC_GTEST_PROP(BudgetPlanTest, NoConstantLevelAndNoConstantMixtureInTimeIsCheaper, ()) {
  const auto options = *AnyOptions();
  const auto slots = *AnySlots();
  const double work = 3600.0 * *rc::gen::inRange(1, 20) * FastestSpeed(options);
  const double budget = work / FastestSpeed(options) * (1.0 + 0.01 * *rc::gen::inRange(0, 80));
  const double cost = PlanWithin(options, slots, work, Seconds{budget}).cost;
  for (const LevelOption& a : options) {
    for (const LevelOption& b : options) {
      for (const double share : {0.0, 0.3, 0.7}) {
        const double end = work / (a.speed + share * (b.speed - a.speed));
        if (end > budget) continue;
        const double power = a.power.value + share * (b.power - a.power).value;
        RC_ASSERT(cost <= CostOfConstant(power, slots, end) * (1.0 + 1e-6));
      }
    }
  }
}

RC_GTEST_PROP(BudgetPlanTest, MoreTimeNeverCostsMore, ()) {
  const auto options = *AnyOptions();
  const auto slots = *AnySlots();
  const double work = 3600.0 * *rc::gen::inRange(1, 15) * FastestSpeed(options);
  double before = std::numeric_limits<double>::infinity();
  for (int percent = 0; percent < 60; percent += *rc::gen::inRange(1, 9)) {
    const double cost =
        PlanWithin(options, slots, work, Seconds{work / FastestSpeed(options) * (1 + 0.01 * percent)}).cost;
    RC_ASSERT(cost <= before * (1.0 + 1e-6));
    before = cost;
  }
}

RC_GTEST_PROP(BudgetPlanTest, UnderOnePriceItIsTheBestConstantMixture, ()) {
  const auto options = *AnyOptions();
  const double work = 3600.0 * *rc::gen::inRange(1, 15) * FastestSpeed(options);
  const double budget = work / FastestSpeed(options) * (1.0 + 0.01 * *rc::gen::inRange(0, 80));
  const BudgetPlan plan = PlanWithin(options, std::vector<Slot>{{Seconds{1800.0}, 400.0}}, work, Seconds{budget});
  // Least energy over all pairs, each as slow as time allows or on its own.
  double least = std::numeric_limits<double>::infinity();
  for (const LevelOption& a : options) {
    for (const LevelOption& b : options) {
      const double needed = work / budget * (1.0 - 1e-12);
      if (a.speed >= needed) least = std::min(least, a.power.value * work / a.speed);
      if (a.speed >= needed || b.speed <= needed) continue;
      const double share = (needed - a.speed) / (b.speed - a.speed);
      least = std::min(least, (a.power.value + share * (b.power - a.power).value) * budget);
    }
  }
  RC_ASSERT(std::abs(plan.cost - 400.0 * least) <= 1e-6 * plan.cost);
}

TEST(BudgetPlanTest, PaceNeverPaysUnderOnePrice) {
  const auto options = PacedOptions();
  const BudgetPlan plan = PlanWithin(options, std::vector<Slot>{{Seconds{1800.0}, 400.0}}, 36000.0, Seconds{50000.0});
  EXPECT_NEAR(plan.takes.count(), 36000.0, 1e-6);
  for (const auto& shares : plan.slots) {
    for (const Share& share : shares) EXPECT_EQ(options[share.option].level, 1.0);
  }
}

TEST(BudgetPlanTest, PacePaysOnlyWhereIntensityMovesEnough) {
  const auto options = PacedOptions();
  const auto slowed = [&options](double dirty) {
    // A dirty hour, then clean ones: work moves out of it where that spares more than idling costs.
    std::vector<Slot> slots{{Seconds{3600.0}, dirty}};
    for (int i = 0; i < 20; ++i) slots.push_back({Seconds{3600.0}, 100.0});
    return options[PlanWithin(options, slots, 36000.0, Seconds{40000.0}).slots.front().front().option].level < 1.0;
  };
  EXPECT_FALSE(slowed(100.0));
  // Moving a second of work costs 609 J * 100 later and spares 488 J * dirty now.
  EXPECT_FALSE(slowed(0.98 * 100.0 * 609.0 / 488.0));
  EXPECT_TRUE(slowed(1.02 * 100.0 * 609.0 / 488.0));
}

TEST(BudgetPlanTest, WhatCannotBeDoneIsSaidAndRunsAtFullSpeed) {
  const auto options = A40Options();
  const BudgetPlan plan = PlanWithin(options, std::vector<Slot>{{Seconds{1800.0}, 400.0}}, 36000.0, Seconds{35000.0});
  EXPECT_FALSE(plan.is_feasible);
  EXPECT_NEAR(plan.takes.count(), 36000.0, 1e-6);
  EXPECT_EQ(options[plan.slots.front().front().option].level, 300);
}

TEST(BudgetPlanTest, FreeEnergyIsTakenAtFullSpeed) {
  const auto options = A40Options();
  const std::vector<Slot> slots{{Seconds{3600.0}, -20.0}, {Seconds{3600.0}, 500.0}, {Seconds{3600.0}, 500.0}};
  const BudgetPlan plan = PlanWithin(options, slots, 7200.0, Seconds{8000.0});
  ASSERT_TRUE(plan.is_feasible);
  EXPECT_EQ(options[plan.slots[0].front().option].level, 300);
  EXPECT_LT(options[plan.slots[1].back().option].level, 300);
}

TEST(BudgetPlanTest, TheLastDayIsTakenToComeAgain) {
  std::vector<Slot> slots;
  for (int i = 0; i < 30; ++i) slots.push_back({Seconds{3600.0}, 1.0 * i});
  const auto longer = Extended(slots, Seconds{3600.0 * 60});
  ASSERT_EQ(longer.size(), 60U);
  EXPECT_EQ(longer[30].cost_per_joule, 6.0);
  EXPECT_EQ(longer[54].cost_per_joule, 6.0);
}

}  // namespace
}  // namespace heliostat::level_control
