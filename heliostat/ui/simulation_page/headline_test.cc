#include "heliostat/ui/simulation_page/headline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heliostat/ui/simulation_page/testing/compared.h"

namespace heliostat::simulation_page {
namespace {

using ::testing::ElementsAre;
using testing::FiguresOf;
using ::testing::HasSubstr;
using testing::Invented;
using ::testing::IsEmpty;
using ::testing::Not;

// Two of its three jobs have deadlines.
scenario::Scenario Small() { return plan::testing::SmallScenario(); }

// Ten jobs: one more that is late is already more than 0.5 %.
TEST(HeadlineTest, LeastCarbonAmongTheEligible) {
  const auto comparison =
      Invented({{"first", FiguresOf(800, 1)}, {"sly", FiguresOf(10, 2)}, {"good", FiguresOf(100, 1)}});
  const Headline headline = HeadlineOf(Small(), comparison);
  EXPECT_EQ(headline.best, 2U);
  EXPECT_EQ(headline.sentence,
            "good emits 100 kg CO2e where first emits 800 kg: 87.5 % less, with 1 of 2 deadlines missed");
  EXPECT_THAT(headline.caveats, ElementsAre("sly emits even less, 10.0 kg, but is not eligible: 2 jobs are late or "
                                            "undone, under first it is 1."));
}

TEST(HeadlineTest, ABaselineThatSleepsIsComparedToo) {
  const auto comparison =
      Invented({{"run-now", FiguresOf(800, 1)}, {"run-now+sleep", FiguresOf(200, 1)}, {"good", FiguresOf(100, 1)}});
  EXPECT_THAT(HeadlineOf(Small(), comparison).sentence,
              HasSubstr("good emits 100 kg CO2e where run-now emits 800 kg: 87.5 % less, and 50.0 % less than "
                        "run-now+sleep, with"));
}

TEST(HeadlineTest, WhereNoPolicyKeepsItsServicesNoneWins) {
  auto a = FiguresOf(100, 0);
  auto b = FiguresOf(50, 0);
  a.services_broken = 1;
  b.services_broken = 1;
  const Headline headline = HeadlineOf(Small(), Invented({{"a", a}, {"b", b}}));
  EXPECT_EQ(headline.best, 0U);
  EXPECT_THAT(headline.sentence, HasSubstr("no policy keeps every service within its latency percentile; a emits 100"));
  EXPECT_THAT(headline.caveats, ElementsAre(HasSubstr("b emits even less, 50.0 kg, but is not eligible: 1 service")));
}

TEST(HeadlineTest, ThePartsOfTheSavingAreTold) {
  EXPECT_EQ(SplitSentence({}), "");
  const sim::SavingSplit split{
      {{"", "a", 272, 0, 0}, {"sleep", "a+sleep", 172, 0, 0}, {"timing", "b", 177, 0, 0}, {"speed", "b", 137, 0, 0}}};
  EXPECT_EQ(SplitSentence(split),
            "Of 135 kg CO2e saved: sleep 100 kg (74 %), timing -5.00 kg (-4 %), speed 40.0 kg (30 %)");
}

TEST(HeadlineTest, AYearIsARangeThatNamesItsDays) {
  EXPECT_EQ(MassRange({120.4, 300, 890.2}), "120 to 890 kg");
  EXPECT_EQ(MassRange({520.4, 3000, 8902}), "0.52 to 8.9 t");
  const auto comparison = Invented({{"a", FiguresOf(100, 0)}, {"b", FiguresOf(50, 0)}});
  EXPECT_EQ(YearSentence(Small(), comparison, 1), "") << "six hours say nothing about a year";
}

TEST(HeadlineTest, WorkLeftUndoneIsSaid) {
  // In its place, a is late.
  const Headline headline = HeadlineOf(Small(), Invented({{"a", FiguresOf(100, 1, 10)}, {"b", FiguresOf(50, 0, 9)}}));
  ASSERT_EQ(headline.caveats.size(), 1U);
  EXPECT_THAT(headline.caveats[0], HasSubstr("b finished 9 of 10 jobs, while a finished 10"));
  auto slow = FiguresOf(50, 0);
  slow.performance = 90.0;
  EXPECT_THAT(HeadlineOf(Small(), Invented({{"a", FiguresOf(100, 0)}, {"b", slow}})).caveats,
              ElementsAre("Its performance is 10.0 % less."));
}

TEST(HeadlineTest, WhenTheFirstIsBestNothingIsClaimedToBeSaved) {
  const Headline headline = HeadlineOf(Small(), Invented({{"a", FiguresOf(100, 0)}, {"b", FiguresOf(120, 0)}}));
  EXPECT_EQ(headline.best, 0U);
  EXPECT_THAT(headline.sentence, HasSubstr("a emits 100 kg CO2e, and no eligible policy emits less"));
  EXPECT_THAT(headline.sentence, Not(HasSubstr("%")));
  EXPECT_THAT(headline.caveats, IsEmpty());
}

TEST(HeadlineTest, OnePolicyAloneIsNotCompared) {
  const Headline headline = HeadlineOf(Small(), Invented({{"a", FiguresOf(100, 1)}}));
  EXPECT_EQ(headline.sentence, "a emits 100 kg CO2e, with 1 of 2 deadlines missed");
}

TEST(HeadlineTest, NothingEmittedIsNoDivision) {
  const Headline headline = HeadlineOf(Small(), Invented({{"a", FiguresOf(0, 1)}, {"b", FiguresOf(-1, 0)}}));
  EXPECT_THAT(headline.sentence, HasSubstr("kg CO2e where a emits 0 kg, with"));
}

TEST(HeadlineTest, WithoutDeadlinesAndServicesNoneAreTold) {
  auto scenario = Small();
  scenario.jobs.clear();
  EXPECT_EQ(HeadlineOf(scenario, Invented({{"a", FiguresOf(5, 0)}})).sentence, "a emits 5.00 kg CO2e");
}

TEST(HeadlineTest, ADeadlineBehindTheHorizonIsNotCounted) {
  auto scenario = Small();
  scenario.jobs[0].deadline = scenario.end() + Duration{1};
  EXPECT_EQ(DeadlinesOf(scenario), 1U);
}

TEST(HeadlineTest, TheBoundIsOnlyToldWhenThereIsOne) {
  sim::Bound bound;
  EXPECT_EQ(BoundSentence(Small(), bound), "");
  bound.carbon_kg = 62.934;
  bound.cost = 7;
  bound.planned_carbon_kg = 70;
  EXPECT_EQ(BoundSentence(Small(), bound),
            "no policy can emit less than 62.93 kg or spend less than 7.000 USD; a plan with perfect knowledge of the "
            "future emits 70.00 kg");
}

RC_GTEST_PROP(HeadlineLaws, APolicyThatEmitsLessThanTheBestIsNamed, ()) {
  std::vector<std::pair<std::string, sim::Figures>> policies;
  const int count = *rc::gen::inRange(2, 9);
  for (int i = 0; i < count; ++i) {
    policies.emplace_back("p" + std::to_string(i),
                          FiguresOf(*rc::gen::inRange(0, 5) * 10.0, *rc::gen::inRange<std::size_t>(0, 3)));
  }
  const auto comparison = Invented(policies);
  const Headline headline = HeadlineOf(Small(), comparison);
  const sim::Figures& best = comparison.figures.at(headline.best);
  bool has_rival = false;
  for (const sim::Figures& other : comparison.figures) has_rival = has_rival || other.carbon_kg < best.carbon_kg;
  RC_ASSERT(headline.sentence.starts_with(comparison.runs[headline.best].policy + " emits "));
  RC_ASSERT(!headline.sentence.ends_with('.'));
  RC_ASSERT(headline.caveats.size() == (has_rival ? 1U : 0U));
}

TEST(HeadlineTest, ALongerWaitIsTold) {
  auto base = FiguresOf(100, 0);
  auto slow = FiguresOf(50, 0);
  base.mean_completion_s = 3600;
  slow.mean_completion_s = 7200;
  EXPECT_THAT(HeadlineOf(Small(), Invented({{"a", base}, {"b", slow}})).caveats,
              ElementsAre("On average jobs are done 2.0 h after submission; with a it is 1.0 h."));
  slow.mean_completion_s = 3700;
  EXPECT_THAT(HeadlineOf(Small(), Invented({{"a", base}, {"b", slow}})).caveats, IsEmpty());
}

TEST(HeadlineTest, RequestsThatWereLateAreTold) {
  auto figures = FiguresOf(100, 0);
  figures.requests_total = 1000;
  figures.slo_violation_fraction = 0.012;
  EXPECT_EQ(HeadlineOf(Small(), Invented({{"a", figures}})).sentence,
            "a emits 100 kg CO2e, with 0 of 2 deadlines missed and 1.2 % of requests late");
}

}  // namespace
}  // namespace heliostat::simulation_page
