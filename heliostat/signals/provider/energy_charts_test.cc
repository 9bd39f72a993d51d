#include "heliostat/signals/provider/energy_charts.h"

#include <gmock/gmock.h>

namespace heliostat::provider {
namespace {

using ::testing::ElementsAre;
using ::testing::NanSensitiveDoubleEq;

Instant At(std::string_view text) { return *ParseInstant(text, "test"); }
// 1767135600 is 2025-12-30T23:00:00Z.
const SignalRequest kAsked{"NL", signal::Kind::kPrice, {At("2025-12-30T23:00Z"), At("2025-12-31T00:15Z")}};

constexpr std::string_view kBody = R"({"license_info": "CC BY 4.0",
                           "unix_seconds" : [ 1767135600, 1767136500, 1767137400, 1767138300, 1767139200 ],
                           "price" : [ 94.87, 90.31, null, -86.19, 84.0 ],
                           "unit" : "EUR / MWh",
                           "deprecated" : false
})";

TEST(EnergyChartsTest, ReadsPricesInEurosPerMegawattHour) {
  const auto signal = ParseEnergyChartsPrice(kBody, kAsked, At("2025-12-30T12:00Z"), AnswerRole::kForecast);
  ASSERT_TRUE(signal) << signal.error().Line();
  EXPECT_EQ(signal->series.start(), At("2025-12-30T23:00Z"));
  EXPECT_EQ(signal->series.step(), Duration{900});
  EXPECT_THAT(signal->series.values(),
              ElementsAre(94.87, 90.31, NanSensitiveDoubleEq(signal::Missing()), -86.19, 84.0));
  EXPECT_EQ(signal->meaning.currency, Currency::Eur());
  EXPECT_EQ(UnitText(signal->meaning), "EUR/MWh");
}

TEST(EnergyChartsTest, MeasuresWhatIsDelivered) {
  const auto signal = ParseEnergyChartsPrice(kBody, kAsked, At("2025-12-30T23:20Z"), AnswerRole::kMeasured);
  ASSERT_TRUE(signal) << signal.error().Line();
  EXPECT_THAT(signal->series.values(), ElementsAre(94.87, 90.31));
}

TEST(EnergyChartsTest, RefusesListsOfTwoLengthsAndMilliseconds) {
  for (const char* body : {R"({"unix_seconds": [1767135600], "price": [1, 2], "unit": "EUR / MWh"})",
                           R"({"unix_seconds": [1767135600000], "price": [1], "unit": "EUR / MWh"})",
                           R"({"unix_seconds": [1767135600.5], "price": [1], "unit": "EUR / MWh"})"}) {
    const auto signal = ParseEnergyChartsPrice(body, kAsked, At("2026-01-01"), AnswerRole::kMeasured);
    ASSERT_FALSE(signal) << body;
    EXPECT_EQ(signal.error().code, ErrorCode::kCorrupt);
  }
}

}  // namespace
}  // namespace heliostat::provider
