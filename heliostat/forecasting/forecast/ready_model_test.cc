#include "heliostat/forecasting/forecast/ready_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/forecasting/forecast/testing/simple_models.h"

namespace heliostat::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;
using ::testing::AllOf;
using testing::At;
using testing::CandidateOfType;
using testing::Drift;
using ::testing::HasSubstr;
using testing::HistoryOf;
using testing::Wandering;
using testing::Yesterday;

History Past(std::size_t hours_long) { return HistoryOf(Wandering(hours_long, 1)); }

void ExpectSame(const ForecastAnswer& a, const ForecastAnswer& b) {
  EXPECT_EQ(a.issued, b.issued);
  EXPECT_EQ(a.prediction.values, b.prediction.values);
  ASSERT_EQ(a.bands.size(), b.bands.size());
  for (std::size_t i = 0; i < a.bands.size(); ++i) {
    EXPECT_EQ(a.bands[i].lower, b.bands[i].lower);
    EXPECT_EQ(a.bands[i].upper, b.bands[i].upper);
  }
}

Result<io::Json> SavedText(const ReadyModel& ready) { return io::Json::Parse(ready.Save().Dump(), "model.json"); }

TEST(ReadyModelTest, AnswersFromTheEndOfTheHistoryWithBandsOfItsOwnErrors) {
  const History past = Past(24 * 120);
  const auto ready = ReadyModel::Make(CandidateOfType<Drift>("drift"), past, 48);
  ASSERT_TRUE(ready) << ready.error().Line();
  EXPECT_EQ(ready->fitted_until(), past.end());
  EXPECT_GE(ready->record().rows().size(), 50U);
  for (const auto& row : ready->record().rows()) EXPECT_EQ((past.end() - row.origin) % days{1}, Duration{0});
  const auto answer = ready->Ask(past, 48);
  ASSERT_TRUE(answer) << answer.error().Line();
  EXPECT_EQ(answer->issued, past.end());
  EXPECT_EQ(answer->step, Duration{hours{1}});
  EXPECT_EQ(answer->prediction.values.size(), 48U);
  ASSERT_EQ(answer->bands.size(), kBandLevels.size());
  EXPECT_LT(answer->bands[2].lower[10], answer->bands[2].upper[10]);
}

TEST(ReadyModelTest, AnswersAboutALongerHistoryThanItWasFittedOn) {
  const auto ready = ReadyModel::Make(CandidateOfType<Yesterday>("yesterday"), Past(24 * 100), 24);
  ASSERT_TRUE(ready);
  const History longer = Past(24 * 101);
  const auto answer = ready->Ask(longer, 24);
  ASSERT_TRUE(answer) << answer.error().Line();
  EXPECT_EQ(answer->issued, longer.end());
  EXPECT_EQ(answer->prediction.values[0], longer.target.series.values()[24 * 100]);
}

TEST(ReadyModelTest, ComesBackFromItsTextWithTheSameAnswersAndFutures) {
  const History past = Past(24 * 120);
  const auto candidate = CandidateOfType<Drift>("drift", days{30});
  const auto ready = ReadyModel::Make(candidate, past, 48);
  ASSERT_TRUE(ready);
  const auto json = SavedText(*ready);
  ASSERT_TRUE(json) << json.error().Line();
  const auto loaded = ReadyModel::Load(*json, candidate.info, std::make_unique<Drift>());
  ASSERT_TRUE(loaded) << loaded.error().Line();
  for (const auto& history : {past, Past(24 * 122)}) {
    const auto answer = ready->Ask(history, 48);
    ExpectSame(*answer, *loaded->Ask(history, 48));
    EXPECT_EQ(ready->Scenarios(history, *answer, 3, RandomStream(1)),
              loaded->Scenarios(history, *answer, 3, RandomStream(1)));
  }
  EXPECT_EQ(loaded->Save().Dump(), ready->Save().Dump());
}

TEST(ReadyModelTest, RefusesTextOfAnotherVersionModelOrKindInOneLine) {
  const auto candidate = CandidateOfType<Drift>("drift");
  const auto ready = ReadyModel::Make(candidate, Past(24 * 20), 24);
  ASSERT_TRUE(ready);
  const auto line = [&](const std::string& key, io::Json value) {
    io::Json changed = ready->Save();
    changed.Set(key, std::move(value));
    const auto json = io::Json::Parse(changed.Dump(), "model.json");
    const auto loaded = ReadyModel::Load(*json, candidate.info, std::make_unique<Drift>());
    return loaded ? std::string() : loaded.error().Line();
  };
  EXPECT_EQ(line("format", "heliostat forecast model"), "");
  EXPECT_THAT(line("version", 2), AllOf(HasSubstr("model.json"), HasSubstr("version 2"), HasSubstr("version 1")));
  EXPECT_THAT(line("format", "a poem"), HasSubstr("not a saved model"));
  EXPECT_THAT(line("model", "arima"), HasSubstr("arima"));
  EXPECT_THAT(line("signal", "noise"), HasSubstr("noise"));
  EXPECT_THAT(line("step_s", 0), HasSubstr("step_s"));
  EXPECT_THAT(line("learned", io::Json::Object{}), HasSubstr("slope"));
  EXPECT_THAT(line("errors", nullptr), HasSubstr("model.json"));
  EXPECT_THAT(line("coverage_shift", io::Json::Array{0.1}), HasSubstr("coverage_shift"));
}

TEST(ReadyModelTest, RefusesAnotherStepKindHorizonOrAPastThatItHasSeenBeyond) {
  const auto ready = ReadyModel::Make(CandidateOfType<Yesterday>("yesterday"), Past(24 * 20), 24);
  ASSERT_TRUE(ready);
  const auto line = [&](const History& past, std::size_t steps) {
    const auto answer = ready->Ask(past, steps);
    return answer ? std::string() : answer.error().Line();
  };
  EXPECT_EQ(line(Past(24 * 20), 24), "");
  EXPECT_THAT(line(Past(24 * 20), 25), HasSubstr("up to 24"));
  EXPECT_THAT(line(Past(24 * 19), 24), HasSubstr("has seen values up to 2021-01-21"));
  EXPECT_THAT(line(HistoryOf(Wandering(48 * 30, 1), std::chrono::minutes{30}), 24), HasSubstr("30 min"));
  EXPECT_THAT(line(HistoryOf(Wandering(24 * 20, 1), hours{1}, signal::Kind::kPrice), 24), HasSubstr("price"));
}

TEST(ReadyModelTest, HasBandsFromTwoDaysOfHistoryAndSaysWhenThereIsTooLittle) {
  const auto young = ReadyModel::Make(CandidateOfType<Drift>("drift"), Past(48), 24);
  ASSERT_TRUE(young) << young.error().Line();
  EXPECT_EQ(young->Ask(Past(48), 24)->bands.size(), kBandLevels.size());
  const auto none = ReadyModel::Make(CandidateOfType<Drift>("drift"), Past(1), 24);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().Line(), HasSubstr("too little history"));
}

TEST(ReadyModelTest, ShortForecastsAreRehearsedAtAllTimesOfDay) {
  const auto ready = ReadyModel::Make(CandidateOfType<Yesterday>("yesterday"), Past(24 * 150), 6);
  ASSERT_TRUE(ready);
  std::vector<int> seen(24, 0);
  for (const auto& row : ready->record().rows())
    ++seen[static_cast<std::size_t>((row.origin - At("2021-01-01")) / hours{1}) % 24];
  EXPECT_GE(*std::ranges::min_element(seen), 5);
}

TEST(ReadyModelTest, AWeekAtFiveMinutesIsRehearsedToo) {
  const History past = HistoryOf(Wandering(288 * 60, 2), std::chrono::minutes{5});
  const auto ready = ReadyModel::Make(CandidateOfType<Yesterday>("yesterday"), past, 2016);
  ASSERT_TRUE(ready);
  const auto answer = ready->Ask(past, 2016);
  ASSERT_TRUE(answer);
  EXPECT_LT(answer->bands[2].lower[2015], answer->bands[2].upper[2015]);
}

}  // namespace
}  // namespace heliostat::forecast
