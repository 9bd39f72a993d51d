#include "heliostat/signals/provider/eia.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "heliostat/signals/provider/emission_factors.h"

namespace heliostat::provider {
namespace {

using ::testing::HasSubstr;

Instant At(std::string_view text) { return *ParseInstant(text, "test"); }
const Instant kNow = At("2025-09-08T00:00Z");
const SignalRequest kAsked{"CISO", signal::Kind::kCarbonIntensity, {At("2025-09-07T00:00Z"), At("2025-09-07T06:00Z")}};

std::string Row(std::string_view period, std::string_view fuel, std::string_view value) {
  return fmt::format(
      R"({{"period": "{}", "respondent": "CISO", "respondent-name": "California Independent System Operator",
    "fueltype": "{}", "type-name": "x", "value": {}, "value-units": "megawatthours"}})",
      period, fuel, value);
}

std::string Body(const std::vector<std::string>& rows, std::string_view total = "") {
  return fmt::format(R"({{"response": {{"total": "{}", "dateFormat": "YYYY-MM-DD\"T\"HH24", "frequency": "hourly",
    "data": [{}], "description": "x"}}, "request": {{"command": "/v2/"}}, "apiVersion": "2.1.8"}})",
                     total.empty() ? std::to_string(rows.size()) : std::string(total), fmt::join(rows, ", "));
}

Result<signal::Signal> Parse(const std::vector<std::string>& rows, signal::Basis basis = signal::Basis::kLifecycle) {
  return ParseEiaGeneration(Body(rows), kAsked, kNow, basis);
}

TEST(EiaTest, WeighsFactorsByGeneration) {
  const std::vector<std::string> rows{Row("2025-09-07T01", "NG", "\"5000\""), Row("2025-09-07T01", "SUN", "\"3000\""),
                                      Row("2025-09-07T01", "NUC", "2000")};
  const auto lifecycle = Parse(rows);
  ASSERT_TRUE(lifecycle) << lifecycle.error().Line();
  // The hour that ends at 01:00 begins at 00:00.
  EXPECT_EQ(lifecycle->series.start(), At("2025-09-07T00:00Z"));
  ASSERT_EQ(lifecycle->series.size(), 1u);
  EXPECT_NEAR(lifecycle->series.values()[0], (5000 * 490 + 3000 * 48 + 2000 * 12) / 10000.0, 1e-9);  // 261.8
  EXPECT_EQ(lifecycle->meaning.basis, signal::Basis::kLifecycle);
  EXPECT_EQ(lifecycle->meaning.time_base, "UTC, interval ending");

  const auto direct = Parse(rows, signal::Basis::kDirect);
  ASSERT_TRUE(direct) << direct.error().Line();
  EXPECT_NEAR(direct->series.values()[0], 0.96 * 453.59237 / 2, 1e-9);
  EXPECT_EQ(direct->meaning.basis, signal::Basis::kDirect);
}

TEST(EiaTest, LeavesStorageAndAPlantsOwnUseOut) {
  const auto signal = Parse({Row("2025-09-07T01", "WND", "\"1000\""), Row("2025-09-07T01", "BAT", "\"-5000\""),
                             Row("2025-09-07T01", "PS", "\"5000\""), Row("2025-09-07T01", "SUN", "\"-12\"")});
  ASSERT_TRUE(signal) << signal.error().Line();
  EXPECT_DOUBLE_EQ(signal->series.values()[0], 11);
}

TEST(EiaTest, AnHourThatIsNotWholeIsMissing) {
  const auto signal = Parse({Row("2025-09-07T01", "NG", "\"100\""), Row("2025-09-07T01", "WND", "\"100\""),
                             Row("2025-09-07T02", "WND", "\"100\""), Row("2025-09-07T03", "NG", "null"),
                             Row("2025-09-07T03", "WND", "\"100\""), Row("2025-09-07T04", "NG", "\"100\""),
                             Row("2025-09-07T04", "WND", "\"100\""), Row("2025-09-07T04", "OTH", "\"60\""),
                             Row("2025-09-07T05", "NG", "\"100\""), Row("2025-09-07T05", "WND", "\"100\""),
                             Row("2025-09-07T05", "OTH", "\"40\"")});
  ASSERT_TRUE(signal) << signal.error().Line();
  ASSERT_EQ(signal->series.size(), 5u);
  EXPECT_EQ(signal->series.missing(), 3u);  // two hours without gas, one with too much of unknown sources
  EXPECT_DOUBLE_EQ(signal->series.values()[0], 250.5);
  EXPECT_DOUBLE_EQ(signal->series.values()[4], 250.5);
}

TEST(EiaTest, RefusesAnAnswerThatWasCutAtItsMostRows) {
  const auto signal = ParseEiaGeneration(Body({Row("2025-09-07T01", "NG", "\"100\"")}, "5001"), kAsked, kNow,
                                         signal::Basis::kLifecycle);
  ASSERT_FALSE(signal);
  EXPECT_EQ(signal.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(signal.error().Line(), HasSubstr("must be complete"));
}

TEST(EmissionFactorTest, LifeCycleIsNeverBelowWind) {
  EXPECT_EQ(EiaEmissionFactors().size(), 11u);
  for (const auto& factor : EiaEmissionFactors()) {
    EXPECT_GE(factor.lifecycle_g_per_kwh, 11) << factor.fuel;
    EXPECT_GE(factor.direct_g_per_kwh, 0) << factor.fuel;
    EXPECT_FALSE(IsStorage(factor.fuel));
  }
  EXPECT_NEAR(FindEmissionFactor("COL")->direct_g_per_kwh, 1047.8, 0.05);
  EXPECT_EQ(FindEmissionFactor("OTH"), nullptr);
}

}  // namespace
}  // namespace heliostat::provider
