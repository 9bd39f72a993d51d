#include "heliostat/dashboard/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/dashboard/testing/compared.h"

namespace heliostat::dashboard {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using testing::FiguresOf;
using ::testing::Not;

const Column& Find(const std::vector<Column>& columns, const std::string& head) {
  for (const Column& column : columns) {
    if (column.head == head) return column;
  }
  ADD_FAILURE() << "no column " << head;
  return columns.front();
}

TEST(ColumnsTest, OnlyWhatTheScenarioHasIsShown) {
  auto scenario = plan::testing::SmallScenario();
  auto columns = ColumnsOf(scenario, FiguresOf(1, 0));
  EXPECT_THAT(columns, Contains(Field(&Column::head, "USD")));
  EXPECT_THAT(columns, Contains(Field(&Column::head, "SLO broken")));
  scenario.price_per_kwh.clear();
  scenario.services.clear();
  columns = ColumnsOf(scenario, FiguresOf(1, 0));
  EXPECT_THAT(columns, Not(Contains(Field(&Column::head, "USD"))));
  EXPECT_THAT(columns, Not(Contains(Field(&Column::head, "SLO broken"))));
}

TEST(ColumnsTest, TheBestIsTheLeastOrTheMostAndTiesShareIt) {
  const auto columns = ColumnsOf(plan::testing::SmallScenario(), FiguresOf(4, 0));
  const std::vector<sim::Figures> figures{FiguresOf(4, 1, 8), FiguresOf(2, 1, 9), FiguresOf(2, 1, 7)};
  EXPECT_THAT(BestOf(Find(columns, "kg CO2e"), figures), ElementsAre(false, true, true));
  EXPECT_THAT(BestOf(Find(columns, "done"), figures), ElementsAre(false, true, false));
}

TEST(ColumnsTest, WhereAllAreAlikeNoneIsBest) {
  const auto columns = ColumnsOf(plan::testing::SmallScenario(), FiguresOf(4, 0));
  const std::vector<sim::Figures> figures{FiguresOf(4, 1), FiguresOf(2, 1)};
  EXPECT_THAT(BestOf(Find(columns, "late"), figures), ElementsAre(false, false));
  EXPECT_THAT(BestOf(Find(columns, "wall s"), figures), ElementsAre(false, false)) << "fast to simulate is not good";
  EXPECT_THAT(BestOf(Find(columns, "kg CO2e"), {FiguresOf(4, 1)}), ElementsAre(false)) << "of one";
}

TEST(ColumnsTest, SavingsAreSignedAndOfSomething) {
  EXPECT_EQ(SavedText(200, 50), "+75.0 %");
  EXPECT_EQ(SavedText(200, 300), "-50.0 %");
  EXPECT_EQ(SavedText(0, 300), "-");
}

}  // namespace
}  // namespace heliostat::dashboard
