#include "heliostat/forecasting/forecast/issued.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/forecasting/forecast/testing/simple_models.h"

namespace heliostat::forecast {
namespace {

using signal::Missing;
using std::chrono::hours;
using testing::At;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HistoryOf;
using ::testing::NanSensitiveDoubleEq;
using ::testing::Pointwise;
using testing::Wandering;

const Instant kStart = At("2021-01-01");

signal::StepSeries Constant(Instant start, std::size_t size, double value) {
  return *signal::StepSeries::Make(start, hours{1}, std::vector<double>(size, value));
}

Issued Ahead(Duration lead, signal::StepSeries series) {
  signal::Meaning meaning;
  meaning.lead = lead;
  return {{"ahead", meaning, std::move(series)}, {}};
}

MATCHER(IsSameOrBothMissing, "") {
  return ::testing::ExplainMatchResult(NanSensitiveDoubleEq(std::get<1>(arg)), std::get<0>(arg), result_listener);
}

TEST(IssuedAtTest, TakesTheShortestLeadThatReaches) {
  History all = HistoryOf(std::vector<double>(100, 1));
  all.issued = {Ahead(hours{4}, Constant(kStart, 100, 4)), Ahead(hours{2}, Constant(kStart, 100, 2))};
  EXPECT_THAT(IssuedAt(all, kStart + hours{50}, 6),
              ElementsAre(2, 2, 4, 4, NanSensitiveDoubleEq(Missing()), NanSensitiveDoubleEq(Missing())));
}

TEST(IssuedAtTest, TakesALongerLeadWhereTheShortestIsMissing) {
  std::vector<double> holed(100, 2);
  holed[50] = Missing();
  History all = HistoryOf(std::vector<double>(100, 1));
  all.issued = {Ahead(hours{2}, *signal::StepSeries::Make(kStart, hours{1}, holed)),
                Ahead(hours{4}, Constant(kStart, 100, 4))};
  EXPECT_THAT(IssuedAt(all, kStart + hours{50}, 3), ElementsAre(4, 2, 4));
}

TEST(IssuedAtTest, TakesTheNewestRunThatWasIssuedAndCovers) {
  History all = HistoryOf(std::vector<double>(100, 1));
  const Issued runs{{"runs", {}, Constant(kStart, 100, Missing())},
                    {{kStart + hours{40}, Constant(kStart + hours{40}, 20, 40)},
                     {kStart + hours{50}, Constant(kStart + hours{51}, 2, 50)},
                     {kStart + hours{51}, Constant(kStart + hours{50}, 20, 51)}}};
  all.issued = {runs};
  EXPECT_THAT(IssuedAt(all, kStart + hours{50}, 4), ElementsAre(40, 50, 50, 40));
  // Of two providers the one that issued last: half a day ago is older than the run of this hour.
  all.issued.push_back(Ahead(hours{12}, Constant(kStart, 100, 12)));
  EXPECT_THAT(IssuedAt(all, kStart + hours{50}, 4), ElementsAre(40, 50, 50, 12));
}

// 40 days with two fixed leads, one of them with gaps, and a run every seven hours.
History Busy() {
  History all = HistoryOf(Wandering(24 * 40, 1));
  auto holed = Wandering(24 * 40, 2);
  for (std::size_t i = 0; i < holed.size(); i += 5) holed[i] = Missing();
  all.issued = {Ahead(hours{3}, *signal::StepSeries::Make(kStart, hours{1}, holed)),
                Ahead(hours{20}, *signal::StepSeries::Make(kStart + hours{100}, hours{1}, Wandering(24 * 38, 3)))};
  Issued runs{{"runs", {}, Constant(kStart, 24 * 40, Missing())}, {}};
  for (int hour = 0; hour < 24 * 40; hour += 7) {
    const auto values = Wandering(30, 10 + static_cast<std::uint64_t>(hour));
    runs.runs.push_back({kStart + hours{hour}, *signal::StepSeries::Make(kStart + hours{hour}, hours{1}, values)});
  }
  all.issued.push_back(runs);
  return all;
}

TEST(IssuedAtTest, KnowsWithTheWholeHistoryWhatItKnewAtTheTime) {
  const History all = Busy();
  for (int hour = 1; hour < 24 * 40; hour += 11) {
    const Instant origin = kStart + hours{hour};
    EXPECT_THAT(IssuedAt(*Before(all, origin), origin, 48), Pointwise(IsSameOrBothMissing(), IssuedAt(all, origin, 48)))
        << hour;
  }
}

TEST(ProviderTest, AnswersWithWhatWasSaidAndThenWithYesterday) {
  History past = HistoryOf(std::vector<double>(48, 7));
  past.issued = {Ahead(hours{2}, Constant(kStart, 60, 2))};
  const auto provider = MakeProvider();
  ASSERT_TRUE(provider->Fit(past, 4));
  const auto prediction = provider->Predict(past, 4);
  ASSERT_TRUE(prediction) << prediction.error().Line();
  EXPECT_THAT(prediction->values, ElementsAre(2, 2, 7, 7));
  EXPECT_EQ(prediction->reason, "2 of 4 values are from providers, the others from the day before");
  EXPECT_EQ(provider->Predict(past, 2)->reason, "2 of 2 values are from providers");
}

TEST(ProviderTest, SaysThatNobodySpoke) {
  const History past = HistoryOf(std::vector<double>(48, 7));
  const auto provider = MakeProvider();
  const Status fitted = provider->Fit(past, 4);
  ASSERT_FALSE(fitted);
  EXPECT_EQ(ExitStatus(fitted.error().code), 2);
  EXPECT_THAT(fitted.error().Line(),
              HasSubstr("the history has no forecasts of a provider; name a file of them with option 'issued'"));
  EXPECT_FALSE(provider->Predict(past, 4));
}

TEST(ProviderTest, DoesNotSeeWhatWasIssuedLater) {
  const BacktestSchedule schedule{kStart + hours{24 * 20}, kStart + hours{24 * 30}, hours{24}, hours{48}, {}, {}};
  const auto leak = FindLeak(Busy(), schedule, *CandidateOf("provider"), 5);
  ASSERT_TRUE(leak) << leak.error().Line();
  EXPECT_EQ(*leak, std::nullopt);
}

}  // namespace
}  // namespace heliostat::forecast
