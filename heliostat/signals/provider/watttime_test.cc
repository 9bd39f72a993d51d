#include "heliostat/signals/provider/watttime.h"

#include <gmock/gmock.h>

#include <atomic>
#include <map>

#include "heliostat/base/io/testing/local_server.h"

namespace heliostat::provider {
namespace {

using io::testing::LocalServer;
using io::testing::ReceivedRequest;
using io::testing::Reply;

Instant At(std::string_view text) { return *ParseInstant(text, "test"); }
const Instant kNow = At("2022-07-15T01:00Z");
const SignalRequest kAsked{
    "CAISO_NORTH", signal::Kind::kCarbonIntensity, {At("2022-07-15T00:00Z"), At("2022-07-15T00:10Z")}};

constexpr std::string_view kBody = R"({"data": [
  {"point_time": "2022-07-15T00:00:00+00:00", "value": 870},
  {"point_time": "2022-07-15T00:05:00+00:00", "value": 1000.0}],
  "meta": {"data_point_period_seconds": 300, "region": "CAISO_NORTH",
  "warnings": [{"type": "EXAMPLE_WARNING", "message": "This is just an example"}],
  "signal_type": "co2_moer", "model": {"date": "2023-03-01"}, "units": "lbs_co2_per_mwh",
  "generated_at_period_seconds": 300, "generated_at": "2022-07-15T00:00:00+00:00"}})";

TEST(WattTimeTest, TurnsPoundsPerMegawattHourIntoGramsPerKilowattHour) {
  const auto signal = ParseWattTimeHistorical(kBody, kAsked, kNow);
  ASSERT_TRUE(signal) << signal.error().Line();
  ASSERT_EQ(signal->series.size(), 2u);
  EXPECT_EQ(signal->series.step(), Duration{300});
  EXPECT_DOUBLE_EQ(signal->series.values()[0], 394.6253619);
  EXPECT_DOUBLE_EQ(signal->series.values()[1], 453.59237);
  EXPECT_EQ(signal->meaning.scope, signal::Scope::kMarginal);
  EXPECT_EQ(signal->meaning.basis, signal::Basis::kDirect);
  EXPECT_EQ(signal->meaning.nature, signal::Nature::kModelled);
}

TEST(WattTimeTest, ReadsAForecastAndWhenItWasIssued) {
  const auto forecast = ParseWattTimeForecast(kBody, kAsked, kNow);
  ASSERT_TRUE(forecast) << forecast.error().Line();
  EXPECT_EQ(forecast->issued, At("2022-07-15T00:00Z"));
  EXPECT_EQ(forecast->signal.meaning.nature, signal::Nature::kForecast);
}

TEST(WattTimeTest, RefusesAnotherSignalAndAnAbsurdPeriod) {
  std::string health(kBody);
  health.replace(health.find("co2_moer"), 8, "health_d");
  EXPECT_EQ(ParseWattTimeHistorical(health, kAsked, kNow).error().code, ErrorCode::kCorrupt);
  std::string still(kBody);
  still.replace(still.find("300"), 3, "0");
  EXPECT_EQ(ParseWattTimeHistorical(still, kAsked, kNow).error().code, ErrorCode::kCorrupt);
}

class WattTimeLoginTest : public ::testing::Test {
 protected:
  WattTimeLoginTest()
      : server_([this](const ReceivedRequest& request) {
          if (request.target == "/login") {
            valid_ = ++logins_;
            return Reply{200, R"({"token": "t)" + std::to_string(valid_) + R"("})"};
          }
          const bool is_valid = request.Header("authorization") == "Bearer t" + std::to_string(valid_);
          return is_valid ? Reply{200, std::string(kBody)} : Reply{401};
        }) {
    io::testing::ForgetProxies();
    const std::map<std::string, std::string> keys{{"HELIOSTAT_WATTTIME_USER", "Aladdin"},
                                                  {"HELIOSTAT_WATTTIME_PASSWORD", "open:sesame"}};
    auto provider = MakeWattTime({http_, clock_, RandomStream(1),
                                  [keys](const std::string& name) -> std::optional<std::string> {
                                    const auto found = keys.find(name);
                                    return found == keys.end() ? std::nullopt : std::optional(found->second);
                                  },
                                  server_.url()});
    measured_ = std::move(provider->measured);
  }

  ManualClock clock_{kNow};
  io::CurlHttpClient http_;
  std::atomic<int> logins_ = 0;
  std::atomic<int> valid_ = 0;  // the number of the valid token
  LocalServer server_;
  std::unique_ptr<MeasuredSource> measured_;
};

TEST_F(WattTimeLoginTest, LogsInOnceAndAgainWhenTheTokenIsOld) {
  ASSERT_TRUE(measured_->Measured(kAsked));
  ASSERT_TRUE(measured_->Measured(kAsked));
  EXPECT_EQ(logins_, 1);
  // base64 of "Aladdin:open:sesame".
  EXPECT_EQ(server_.received()[0].Header("authorization"), "Basic QWxhZGRpbjpvcGVuOnNlc2FtZQ==");
  clock_.Advance(std::chrono::minutes(26));
  ASSERT_TRUE(measured_->Measured(kAsked));
  EXPECT_EQ(logins_, 2);
}

TEST_F(WattTimeLoginTest, LogsInAgainWhenTheTokenWasTakenBack) {
  ASSERT_TRUE(measured_->Measured(kAsked));
  valid_ = -1;
  ASSERT_TRUE(measured_->Measured(kAsked));
  EXPECT_EQ(logins_, 2);
}

}  // namespace
}  // namespace heliostat::provider
