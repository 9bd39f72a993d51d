#include "heliostat/signals/provider/electricity_maps.h"

#include <gmock/gmock.h>

namespace heliostat::provider {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Instant At(std::string_view text) { return *ParseInstant(text, "test"); }
const Instant kNow = At("2019-05-22T06:00Z");
const SignalRequest kAsked{"DE", signal::Kind::kCarbonIntensity, {At("2019-05-21T21:00Z"), At("2019-05-22T00:00Z")}};

constexpr std::string_view kPast = R"({"zone": "DE", "data": [
  {"zone": "DE", "carbonIntensity": 293, "datetime": "2019-05-21T21:00:00.000Z", "updatedAt": "2022-04-07T15:32:21.002Z",
   "createdAt": "2022-02-08T06:20:31.772Z", "emissionFactorType": "lifecycle", "isEstimated": false, "estimationMethod": null},
  {"zone": "DE", "carbonIntensity": 290, "datetime": "2019-05-21T22:00:00.000Z", "updatedAt": "2022-04-07T15:32:21.002Z",
   "createdAt": "2022-02-08T06:20:31.772Z", "emissionFactorType": "lifecycle", "isEstimated": true,
   "estimationMethod": "TIME_SLICER_AVERAGE"},
  {"zone": "DE", "carbonIntensity": 287.5, "datetime": "2019-05-21T23:00:00.000Z", "emissionFactorType": "lifecycle"}]})";

constexpr std::string_view kForecast = R"({"zone": "DE", "forecast": [
  {"carbonIntensity": 326, "datetime": "2019-05-22T06:00:00.000Z"},
  {"carbonIntensity": 297, "datetime": "2019-05-22T07:00:00.000Z"}], "updatedAt": "2019-05-22T05:34:12.345Z"})";

TEST(ElectricityMapsTest, ReadsThePast) {
  const auto signal = ParseElectricityMapsPast(kPast, kAsked, kNow, signal::Basis::kLifecycle);
  ASSERT_TRUE(signal) << signal.error().Line();
  EXPECT_EQ(signal->series.span(), kAsked.span);
  EXPECT_THAT(signal->series.values(), ElementsAre(293, 290, 287.5));
  EXPECT_EQ(signal->meaning.basis, signal::Basis::kLifecycle);
  EXPECT_EQ(signal->meaning.scope, signal::Scope::kAverage);
  EXPECT_THAT(signal->meaning.notes, Contains(HasSubstr("estimated")));
}

TEST(ElectricityMapsTest, RefusesTheOtherBasis) {
  const auto signal = ParseElectricityMapsPast(kPast, kAsked, kNow, signal::Basis::kDirect);
  ASSERT_FALSE(signal);
  EXPECT_EQ(signal.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(signal.error().Line(), HasSubstr("emissionFactorType"));
}

TEST(ElectricityMapsTest, ReadsAForecastAndWhenItWasIssued) {
  const SignalRequest asked{"DE", signal::Kind::kCarbonIntensity, {kNow, kNow + std::chrono::hours(24)}};
  const auto forecast = ParseElectricityMapsForecast(kForecast, asked, kNow, signal::Basis::kLifecycle);
  ASSERT_TRUE(forecast) << forecast.error().Line();
  EXPECT_THAT(forecast->signal.series.values(), ElementsAre(326, 297));
  EXPECT_EQ(forecast->issued, At("2019-05-22T05:34:12Z"));
  EXPECT_EQ(forecast->signal.meaning.nature, signal::Nature::kForecast);

  const auto early = ParseElectricityMapsForecast(kForecast, asked, At("2019-05-22T05:00Z"), signal::Basis::kLifecycle);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::kCorrupt);
}

TEST(ElectricityMapsTest, RefusesNegativeCarbon) {
  constexpr std::string_view kNegative =
      R"({"zone": "DE", "data": [{"carbonIntensity": -3, "datetime": "2019-05-21T21:00:00.000Z"}]})";
  const auto signal = ParseElectricityMapsPast(kNegative, kAsked, kNow, signal::Basis::kLifecycle);
  ASSERT_FALSE(signal);
  EXPECT_THAT(signal.error().Line(), HasSubstr("below zero"));
}

}  // namespace
}  // namespace heliostat::provider
