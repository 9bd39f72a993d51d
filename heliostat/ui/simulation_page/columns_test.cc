#include "heliostat/ui/simulation_page/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "heliostat/ui/simulation_page/testing/compared.h"

namespace heliostat::simulation_page {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using testing::FiguresOf;
using testing::Invented;
using ::testing::Not;

const FigureColumn& Find(const std::vector<FigureColumn>& columns, const std::string& head) {
  for (const FigureColumn& column : columns) {
    if (column.head == head) return column;
  }
  ADD_FAILURE() << "no column " << head;
  return columns.front();
}

TEST(ColumnsTest, OnlyWhatTheScenarioHasIsShown) {
  auto scenario = plan::testing::SmallScenario();
  auto columns = ColumnsOf(scenario, Invented({{"a", FiguresOf(1, 0)}}));
  EXPECT_THAT(columns, Contains(Field(&FigureColumn::head, "USD")));
  EXPECT_THAT(columns, Contains(Field(&FigureColumn::head, "SLO broken")));
  scenario.price_per_kwh.clear();
  scenario.services.clear();
  columns = ColumnsOf(scenario, Invented({{"a", FiguresOf(1, 0)}}));
  EXPECT_THAT(columns, Not(Contains(Field(&FigureColumn::head, "USD"))));
  EXPECT_THAT(columns, Not(Contains(Field(&FigureColumn::head, "SLO broken"))));
}

TEST(ColumnsTest, TheBestIsTheLeastOrTheMostAndTiesShareIt) {
  const auto columns = ColumnsOf(plan::testing::SmallScenario(), Invented({{"a", FiguresOf(4, 0)}}));
  const std::vector<sim::Figures> figures{FiguresOf(4, 1, 8), FiguresOf(2, 1, 9), FiguresOf(2, 1, 7)};
  EXPECT_THAT(BestOf(Find(columns, "kg CO2e"), figures), ElementsAre(false, true, true));
  EXPECT_THAT(BestOf(Find(columns, "done"), figures), ElementsAre(false, true, false));
}

TEST(ColumnsTest, WhereAllAreAlikeNoneIsBest) {
  const auto columns = ColumnsOf(plan::testing::SmallScenario(), Invented({{"a", FiguresOf(4, 0)}}));
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

RC_GTEST_PROP(ColumnsLaws, TheBestAreThoseThatNoneBeatsAndNeverAll, ()) {
  std::vector<sim::Figures> figures;
  const int count = *rc::gen::inRange(1, 8);
  for (int i = 0; i < count; ++i) {
    figures.push_back(
        FiguresOf(*rc::gen::inRange(0, 4), *rc::gen::inRange<std::size_t>(0, 3), *rc::gen::inRange<std::size_t>(0, 3)));
  }
  for (const FigureColumn& column : ColumnsOf(plan::testing::SmallScenario(), Invented({{"a", figures.front()}}))) {
    const auto best = BestOf(column, figures);
    RC_ASSERT(best.size() == figures.size());
    const auto bests = std::ranges::count(best, true);
    const double first = column.value(figures.front());
    const bool alike = std::ranges::all_of(figures, [&](const sim::Figures& f) { return column.value(f) == first; });
    RC_ASSERT((bests == 0) == (alike || column.better == Better::kNeither));
    for (std::size_t i = 0; i < figures.size(); ++i) {
      for (std::size_t k = 0; k < figures.size() && best[i]; ++k) {
        const double ahead = column.value(figures[k]) - column.value(figures[i]);
        RC_ASSERT((column.better == Better::kLess ? ahead >= 0 : ahead <= 0));
      }
    }
  }
}

TEST(ColumnsTest, TextsSayTheFigureInItsUnit) {
  auto figures = FiguresOf(12.5, 3, 8);
  figures.cost = 4.25;
  figures.energy_kwh = 100;
  figures.slo_violation_fraction = 0.0123;
  figures.mean_completion_s = 5400;
  figures.p95_completion_s = 7200;
  figures.wake_ups = 4;
  const auto columns = ColumnsOf(plan::testing::SmallScenario(), Invented({{"a", FiguresOf(50, 0)}}));
  EXPECT_EQ(Find(columns, "kg CO2e").text(figures), "12.50");
  EXPECT_EQ(Find(columns, "saved").text(figures), "+75.0 %");
  EXPECT_EQ(Find(columns, "USD").text(figures), "4.250");
  EXPECT_EQ(Find(columns, "done").text(figures), "8/10");
  EXPECT_EQ(Find(columns, "late").text(figures), "3");
  EXPECT_EQ(Find(columns, "SLO broken").text(figures), "1.23 %");
  EXPECT_EQ(Find(columns, "mean h").text(figures), "1.5");
  EXPECT_EQ(Find(columns, "p95 h").text(figures), "2.0");
  EXPECT_EQ(Find(columns, "wake-ups").text(figures), "4");
}

TEST(ColumnsTest, SavingsAreAgainstTheFirstAndAgainstTheFirstAsleep) {
  const auto scenario = plan::testing::SmallScenario();
  const auto columns = ColumnsOf(scenario, Invented({{"a", FiguresOf(100, 0)}, {"a+sleep", FiguresOf(50, 0)}}));
  EXPECT_EQ(Find(columns, "saved").text(FiguresOf(25, 0)), "+75.0 %");
  EXPECT_EQ(Find(columns, "vs sleep").text(FiguresOf(25, 0)), "+50.0 %");
  EXPECT_THAT(ColumnsOf(scenario, Invented({{"a", FiguresOf(100, 0)}, {"b+sleep", FiguresOf(50, 0)}})),
              Not(Contains(Field(&FigureColumn::head, "vs sleep"))));
}

TEST(ColumnsTest, BothConditionsOfTheWinnerAreTold) {
  const auto columns = ColumnsOf(plan::testing::SmallScenario(), Invented({{"a", FiguresOf(100, 1)}}));
  const FigureColumn& eligible = Find(columns, "eligible");
  auto figures = FiguresOf(50, 1);
  EXPECT_EQ(eligible.text(figures), "yes");
  figures.services_broken = 1;
  EXPECT_EQ(eligible.text(figures), "no: SLO");
  figures.jobs_late_or_undone = 2;
  EXPECT_EQ(eligible.text(figures), "no: both");
  figures.services_broken = 0;
  EXPECT_EQ(eligible.text(figures), "no: jobs");
}

TEST(ColumnsTest, HeadsAreDifferentAndExplained) {
  std::set<std::string> heads;
  for (const FigureColumn& column : ColumnsOf(plan::testing::SmallScenario(), Invented({{"a", FiguresOf(1, 0)}}))) {
    EXPECT_TRUE(heads.insert(column.head).second) << column.head;
    EXPECT_FALSE(column.meaning.empty()) << column.head;
  }
}

}  // namespace
}  // namespace heliostat::simulation_page
