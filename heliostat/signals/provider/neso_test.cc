#include "heliostat/signals/provider/neso.h"

#include <gmock/gmock.h>

namespace heliostat::provider {
namespace {

using ::testing::ElementsAre;
using ::testing::NanSensitiveDoubleEq;

Instant At(std::string_view text) { return *ParseInstant(text, "test"); }
const Instant kNow = At("2018-01-20T13:40Z");

// The documented shape, with the half-hour before the request that the API adds,
// and the one that has begun and is not measured yet.
constexpr std::string_view kNational = R"({"data": [
  {"from": "2018-01-20T11:30Z", "to": "2018-01-20T12:00Z", "intensity": {"forecast": 260, "actual": 261, "index": "moderate"}},
  {"from": "2018-01-20T12:00Z", "to": "2018-01-20T12:30Z", "intensity": {"forecast": 266, "actual": 263, "index": "moderate"}},
  {"from": "2018-01-20T12:30Z", "to": "2018-01-20T13:00Z", "intensity": {"forecast": 270, "actual": 269, "index": "moderate"}},
  {"from": "2018-01-20T13:00Z", "to": "2018-01-20T13:30Z", "intensity": {"forecast": 272, "actual": 275.5, "index": "high"}},
  {"from": "2018-01-20T13:30Z", "to": "2018-01-20T14:00Z", "intensity": {"forecast": 280, "actual": null, "index": "high"}}]})";

const SignalRequest kAsked{"GB", signal::Kind::kCarbonIntensity, {At("2018-01-20T12:00Z"), At("2018-01-20T14:00Z")}};

constexpr std::string_view kRegional = R"({"data": {"regionid": 3, "dnoregion": "Electricity North West",
  "shortname": "North West England", "data": [
  {"from": "2018-01-20T12:00Z", "to": "2018-01-20T12:30Z", "intensity": {"forecast": 66, "index": "low"},
   "generationmix": [{"fuel": "gas", "perc": 43.6}]},
  {"from": "2018-01-20T12:30Z", "to": "2018-01-20T13:00Z", "intensity": {"forecast": 70, "index": "low"}}]}})";

TEST(NesoTest, KeepsActualAndForecastApart) {
  const auto measured = ParseNesoIntensity(kNational, kAsked, kNow, AnswerRole::kMeasured);
  ASSERT_TRUE(measured) << measured.error().Line();
  EXPECT_EQ(measured->series.start(), At("2018-01-20T12:00Z"));
  EXPECT_EQ(measured->series.step(), Duration{1800});
  EXPECT_THAT(measured->series.values(), ElementsAre(263, 269, 275.5));
  EXPECT_EQ(measured->meaning.nature, signal::Nature::kMeasured);
  EXPECT_EQ(measured->meaning.basis, signal::Basis::kDirect);
  EXPECT_EQ(measured->meaning.scope, signal::Scope::kAverage);

  const auto forecast = ParseNesoIntensity(kNational, kAsked, kNow, AnswerRole::kForecast);
  ASSERT_TRUE(forecast) << forecast.error().Line();
  EXPECT_THAT(forecast->series.values(), ElementsAre(266, 270, 272, 280));
  EXPECT_EQ(forecast->meaning.nature, signal::Nature::kForecast);
}

TEST(NesoTest, ReadsARegion) {
  SignalRequest request = kAsked;
  request.zone = "GB-3";
  const auto signal = ParseNesoIntensity(kRegional, request, kNow, AnswerRole::kForecast);
  ASSERT_TRUE(signal) << signal.error().Line();
  EXPECT_THAT(signal->series.values(), ElementsAre(66, 70));
  EXPECT_EQ(signal->meaning.zone, "GB-3");

  request.zone = "GB-4";
  const auto other = ParseNesoIntensity(kRegional, request, kNow, AnswerRole::kForecast);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kCorrupt);
}

TEST(NesoTest, KnowsItsZones) {
  for (const char* zone : {"DE", "GB-0", "GB-18", "GB-", "GB-x", "gb"}) {
    SignalRequest request = kAsked;
    request.zone = zone;
    const auto signal = ParseNesoIntensity(kNational, request, kNow, AnswerRole::kForecast);
    ASSERT_FALSE(signal) << zone;
    EXPECT_EQ(signal.error().code, ErrorCode::kNotFound) << zone;
  }
}

TEST(NesoTest, RefusesWhatIsNotHalfAnHour) {
  constexpr std::string_view kHour = R"({"data": [{"from": "2018-01-20T12:00Z", "to": "2018-01-20T13:00Z",
    "intensity": {"forecast": 266, "actual": 263}}]})";
  const auto signal = ParseNesoIntensity(kHour, kAsked, kNow, AnswerRole::kForecast);
  ASSERT_FALSE(signal);
  EXPECT_EQ(signal.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace heliostat::provider
