#include "heliostat/forecasting/forecast/references.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/forecasting/forecast/testing/histories.h"

namespace heliostat::forecast {
namespace {

using namespace std::chrono_literals;
using signal::Missing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HistoryOf;

std::vector<double> Ask(std::string_view model, const History& past, std::size_t steps) {
  auto forecaster = *MakeForecaster(model);
  const Status fitted = forecaster->Fit(past, steps);
  EXPECT_TRUE(fitted) << fitted.error().Line();
  return forecaster->Predict(past, steps)->values;
}

double Number(std::size_t i) { return static_cast<double>(i); }

TEST(PersistenceTest, RepeatsTheNewestKnownValue) {
  EXPECT_THAT(Ask("persistence", HistoryOf(Instant{}, 1h, {3, 5, Missing()}), 3), ElementsAre(5, 5, 5));
}

TEST(YesterdayTest, RepeatsTheNewestDay) {
  const History past = HistoryOf(Instant{}, 6h, 10, Number);
  EXPECT_THAT(Ask("yesterday", past, 10), ElementsAre(6, 7, 8, 9, 6, 7, 8, 9, 6, 7));
}

TEST(YesterdayTest, LooksADayFurtherBackThenAtTheNewestValue) {
  History past = HistoryOf(Instant{}, 6h, {0, 1, 2, 3, 4, Missing(), 6, 7});
  EXPECT_THAT(Ask("yesterday", past, 4), ElementsAre(4, 1, 6, 7));
  past = HistoryOf(Instant{}, 6h, {0, Missing(), 2, 3, 4, Missing(), 6, 7});
  EXPECT_THAT(Ask("yesterday", past, 4), ElementsAre(4, 7, 6, 7));
}

TEST(YesterdayTest, TakesTheValueInForceWhenStepsDoNotDivideADay) {
  // From 28 h on, the values of a day before: 4 h, 11 h, 18 h, then 25 h, which is known and not forecast.
  EXPECT_THAT(Ask("yesterday", HistoryOf(Instant{}, 7h, {1, 2, 3, 4}), 4), ElementsAre(1, 2, 3, 4));
}

TEST(LastWeekTest, RepeatsTheNewestWeek) {
  const History past = HistoryOf(Instant{}, 1h, 200, Number);
  const auto values = Ask("last-week", past, 400);
  for (std::size_t i = 0; i < 400; ++i) EXPECT_EQ(values[i], Number(32 + i % 168));
}

TEST(SeasonalTest, SaysHowMuchHistoryIsMissing) {
  const Status week = (*MakeForecaster("last-week"))->Fit(HistoryOf(Instant{}, 1h, 48, Number), 24);
  ASSERT_FALSE(week);
  EXPECT_THAT(week.error().Line(),
              HasSubstr("needs 7 d of history, has 2 d; a longer history, or the model yesterday"));
  const Status day = (*MakeForecaster("yesterday"))->Fit(HistoryOf(Instant{}, 1h, 23, Number), 24);
  ASSERT_FALSE(day);
  EXPECT_THAT(day.error().Line(), HasSubstr("needs 1 d of history, has 23 h"));
}

TEST(SeasonalTest, RefusesToAnswerFromLessThanAPeriod) {
  auto yesterday = *MakeForecaster("yesterday");
  ASSERT_TRUE(yesterday->Fit(HistoryOf(Instant{}, 1h, 48, Number), 24));
  EXPECT_FALSE(yesterday->Predict(HistoryOf(Instant{}, 1h, 5, Number), 24));
}

TEST(ClimatologyModelTest, KnowsTheNewestEightWeeks) {
  constexpr std::size_t kWeek = 168;
  // Two weeks of a different pattern, then eight that alternate around a weekly ramp.
  const History past = HistoryOf(Instant{}, 1h, 10 * kWeek, [](std::size_t i) {
    return i < 2 * kWeek ? 1e6 : Number(i % kWeek) + (i / kWeek % 2 == 0 ? 10 : -10);
  });
  const auto values = Ask("climatology", past, 2 * kWeek);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_DOUBLE_EQ(values[i], Number(i % kWeek));
}

TEST(ClimatologyModelTest, RemembersOlderWeeksWhenTheNewestAreSilent) {
  const History past =
      HistoryOf(Instant{}, 1h, 12 * 168, [](std::size_t i) { return i < 168 ? Number(i) : Missing(); });
  EXPECT_THAT(Ask("climatology", past, 3), ElementsAre(0, 1, 2));
}

TEST(ClimatologyModelTest, SavesStepsThatDoNotDivideAWeek) {
  for (const Duration step : {Duration{7h}, Duration{100h}}) {
    const History past = HistoryOf(Instant{} + 1234h, step, 50, Number);
    auto model = *MakeForecaster("climatology");
    ASSERT_TRUE(model->Fit(past, 40));
    auto loaded = *MakeForecaster("climatology");
    ASSERT_TRUE(loaded->Load(*io::Json::Parse(model->Save().Dump(), "saved")));
    EXPECT_EQ(loaded->Predict(past, 40)->values, model->Predict(past, 40)->values);
  }
}

}  // namespace
}  // namespace heliostat::forecast
