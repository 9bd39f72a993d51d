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

TEST(HeadlineTest, LeastCarbonAmongThoseThatMissTheFewest) {
  const auto comparison =
      Invented({{"first", FiguresOf(800, 1)}, {"sly", FiguresOf(10, 2)}, {"good", FiguresOf(100, 0)}});
  const Headline headline = HeadlineOf(Small(), comparison);
  EXPECT_EQ(headline.best, 2U);
  EXPECT_EQ(headline.sentence,
            "good emits 100 kg CO2e where first emits 800 kg: 87.5 % less, with 0 of 2 deadlines missed");
  EXPECT_THAT(headline.caveats, ElementsAre("sly emits even less, 10.0 kg, but misses 2 deadlines."));
}

TEST(HeadlineTest, MoreCarbonIsSaidToBeMore) {
  const Headline headline = HeadlineOf(Small(), Invented({{"a", FiguresOf(100, 2)}, {"b", FiguresOf(110, 1)}}));
  EXPECT_THAT(headline.sentence, HasSubstr("b emits 110 kg CO2e where a emits 100 kg: 10.0 % more"));
}

TEST(HeadlineTest, WorkLeftUndoneIsSaid) {
  const Headline headline = HeadlineOf(Small(), Invented({{"a", FiguresOf(100, 0, 10)}, {"b", FiguresOf(50, 0, 9)}}));
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
  EXPECT_THAT(headline.sentence, HasSubstr("a emits 100 kg CO2e, and no other policy"));
  EXPECT_THAT(headline.sentence, Not(HasSubstr("%")));
  EXPECT_THAT(headline.caveats, IsEmpty());
}

TEST(HeadlineTest, OnePolicyAloneIsNotCompared) {
  const Headline headline = HeadlineOf(Small(), Invented({{"a", FiguresOf(100, 1)}}));
  EXPECT_EQ(headline.sentence, "a emits 100 kg CO2e, with 1 of 2 deadlines missed");
}

TEST(HeadlineTest, NothingEmittedIsNoDivision) {
  const Headline headline = HeadlineOf(Small(), Invented({{"a", FiguresOf(0, 1)}, {"b", FiguresOf(0, 0)}}));
  EXPECT_THAT(headline.sentence, HasSubstr("b emits 0 kg CO2e where a emits 0 kg, with"));
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

RC_GTEST_PROP(HeadlineLaws, NoPolicyThatMissesAsFewEmitsLess, ()) {
  std::vector<std::pair<std::string, sim::Figures>> policies;
  const int count = *rc::gen::inRange(1, 9);
  for (int i = 0; i < count; ++i) {
    policies.emplace_back("p" + std::to_string(i),
                          FiguresOf(*rc::gen::inRange(0, 5) * 10.0, *rc::gen::inRange<std::size_t>(0, 3)));
  }
  const auto comparison = Invented(policies);
  const Headline headline = HeadlineOf(Small(), comparison);
  const sim::Figures& best = comparison.figures.at(headline.best);
  bool has_rival = false;
  for (const sim::Figures& other : comparison.figures) {
    RC_ASSERT(best.deadline_misses <= other.deadline_misses);
    RC_ASSERT(other.deadline_misses > best.deadline_misses || best.carbon_kg <= other.carbon_kg);
    has_rival = has_rival || other.carbon_kg < best.carbon_kg;
  }
  RC_ASSERT(headline.sentence.starts_with(comparison.runs[headline.best].policy + " emits "));
  RC_ASSERT(!headline.sentence.ends_with('.'));
  // Who emits less by missing more is named.
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
