#include "heliostat/planning/plan/objective.h"

#include <gtest/gtest.h>

namespace heliostat::plan {
namespace {

Score SomeScore() {
  Score score;
  score.total.carbon = Grams{4000};
  score.total.cost = 7;
  score.total.facility = KilowattHours(20);
  score.total.grid = KilowattHours(11);
  score.performance = 10;
  return score;
}

TEST(ObjectiveTest, EveryNameIsReadBack) {
  for (const Objective objective : {Objective::kMinCarbon, Objective::kMaxPerformance, Objective::kMaxPpc,
                                    Objective::kMinCost, Objective::kMinEnergy}) {
    EXPECT_EQ(*ParseObjective(NameOf(objective)), objective);
  }
  EXPECT_EQ(ParseObjective("min-co2").error().Line(),
            "objective: 'min-co2' is not an objective; one of min-carbon, max-performance, max-ppc, min-cost, "
            "min-energy");
}

TEST(ObjectiveTest, ValuesAreInTheObjectivesOwnUnit) {
  EXPECT_DOUBLE_EQ(ValueOf(Objective::kMinCarbon, SomeScore()), 4);
  EXPECT_DOUBLE_EQ(ValueOf(Objective::kMaxPerformance, SomeScore()), 10);
  EXPECT_DOUBLE_EQ(ValueOf(Objective::kMaxPpc, SomeScore()), 2.5);
  EXPECT_DOUBLE_EQ(ValueOf(Objective::kMinCost, SomeScore()), 7);
  EXPECT_DOUBLE_EQ(ValueOf(Objective::kMinEnergy, SomeScore()), 20);
}

TEST(ObjectiveTest, WeightsCountPerformanceWithAMinus) {
  EXPECT_DOUBLE_EQ(ValueOf(Weights{2, 3, 0.5, 1}, SomeScore()), 8 + 21 + 10 - 10);
}

TEST(GapTest, IsTheDistanceRelativeToTheValue) {
  EXPECT_DOUBLE_EQ(GapOf(10, 9), 0.1);
  EXPECT_DOUBLE_EQ(GapOf(-10, -11), 0.1);
  EXPECT_EQ(GapOf(0, 0), 0.0);
  EXPECT_EQ(GapOf(0, -1), 1.0);
}

}  // namespace
}  // namespace heliostat::plan
