// The exact requests of every provider: the URLs that the documentation of its API names.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "heliostat/signals/provider/registry.h"
#include "heliostat/signals/provider/testing/provider_case.h"

namespace heliostat::provider::testing {
namespace {

using std::chrono::hours;
constexpr Instant kNow{Duration{1'773'144'000}};  // 2026-03-10T12:00:00Z

// Records each request and answers with nothing.
class RecordingClient final : public io::HttpClient {
 public:
  Result<io::HttpResponse> Get(const io::HttpRequest& request) override {
    if (request.url.ends_with("/login")) return io::HttpResponse{200, {}, R"({"token": "t"})"};
    asked.push_back(request);
    return io::HttpResponse{404, {}, ""};
  }
  std::vector<io::HttpRequest> asked;
};

io::HttpRequest FirstRequest(const ProviderCase& provider_case, const Interval& span) {
  ManualClock clock(kNow);
  RecordingClient http;
  const Environment lookup = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = provider_case.environment.find(name);
    return found == provider_case.environment.end() ? std::nullopt : std::optional(found->second);
  };
  const auto provider = MakeProvider(provider_case.name, {http, clock, RandomStream(1), lookup});
  EXPECT_TRUE(provider);
  const SignalRequest request{provider_case.zone, provider_case.kind, span};
  if (provider_case.role == AnswerRole::kMeasured) {
    EXPECT_FALSE(provider->measured->Measured(request));
  } else {
    EXPECT_FALSE(provider->forecast->Forecast(request));
  }
  EXPECT_EQ(http.asked.size(), 1u);
  return http.asked.empty() ? io::HttpRequest{} : http.asked.front();
}

const std::map<std::string, std::string> kExpected{
    {"neso_measured", "https://api.carbonintensity.org.uk/intensity/2026-03-10T00:00Z/2026-03-10T12:00Z"},
    {"neso_forecast", "https://api.carbonintensity.org.uk/intensity/2026-03-10T12:00Z/2026-03-11T00:00Z"},
    {"electricity_maps_measured",
     "https://api.electricitymaps.com/v3/carbon-intensity/history"
     "?zone=DE&emissionFactorType=lifecycle&temporalGranularity=hourly"},
    {"electricity_maps_forecast",
     "https://api.electricitymaps.com/v3/carbon-intensity/forecast"
     "?zone=DE&emissionFactorType=lifecycle&temporalGranularity=hourly&horizonHours=24"},
    {"watttime_measured",
     "https://api.watttime.org/v3/historical?region=CAISO_NORTH&signal_type=co2_moer"
     "&start=2026-03-10T00%3A00%3A00Z&end=2026-03-10T12%3A00%3A00Z"},
    {"watttime_forecast",
     "https://api.watttime.org/v3/forecast?region=CAISO_NORTH&signal_type=co2_moer&horizon_hours=12"},
    {"energy_charts_measured",
     "https://api.energy-charts.info/price?bzn=DE-LU&start=2026-03-10T00%3A00%3A00Z&end=2026-03-11T00%3A00%3A00Z"},
    {"energy_charts_forecast",
     "https://api.energy-charts.info/price?bzn=DE-LU&start=2026-03-10T00%3A00%3A00Z&end=2026-03-11T00%3A00%3A00Z"},
    {"entsoe_measured",
     "https://web-api.tp.entsoe.eu/api?documentType=A44&in_Domain=10Y1001A1001A82H&out_Domain=10Y1001A1001A82H"
     "&contract_MarketAgreement.type=A01&periodStart=202603100000&periodEnd=202603101200&securityToken=entsoe-s3cret"},
    {"entsoe_forecast",
     "https://web-api.tp.entsoe.eu/api?documentType=A44&in_Domain=10Y1001A1001A82H&out_Domain=10Y1001A1001A82H"
     "&contract_MarketAgreement.type=A01&periodStart=202603101200&periodEnd=202603110000&securityToken=entsoe-s3cret"},
    {"eia_measured",
     "https://api.eia.gov/v2/electricity/rto/fuel-type-data/data/?frequency=hourly&data%5B0%5D=value"
     "&facets%5Brespondent%5D%5B%5D=CISO&start=2026-03-10T01&end=2026-03-10T12&sort%5B0%5D%5Bcolumn%5D=period"
     "&sort%5B0%5D%5Bdirection%5D=asc&offset=0&length=5000&api_key=eia-s3cret"},
};

TEST(ProviderRequestTest, IsTheDocumentedOne) {
  for (const auto& provider_case : AllProviderCases()) {
    const Instant begin = provider_case.role == AnswerRole::kMeasured ? kNow - hours(12) : kNow;
    const auto request = FirstRequest(provider_case, {begin, begin + hours(12)});
    EXPECT_EQ(request.url, kExpected.at(NameOf(provider_case)));
    EXPECT_EQ(request.carries_secret, !provider_case.environment.empty()) << NameOf(provider_case);
  }
}

TEST(ProviderRequestTest, ElectricityMapsHasAnotherAddressForTheFartherPast) {
  const auto cases = AllProviderCases();
  const auto electricity_maps =
      std::ranges::find_if(cases, [](const auto& c) { return NameOf(c) == "electricity_maps_measured"; });
  ASSERT_NE(electricity_maps, cases.end());
  const auto request = FirstRequest(*electricity_maps, {kNow - hours(240), kNow - hours(216)});
  EXPECT_EQ(request.url,
            "https://api.electricitymaps.com/v3/carbon-intensity/past-range?zone=DE&emissionFactorType=lifecycle"
            "&temporalGranularity=hourly&start=2026-02-28T12%3A00%3A00Z&end=2026-03-01T12%3A00%3A00Z");
  ASSERT_EQ(request.headers.size(), 1u);
  EXPECT_EQ(request.headers[0].name, "auth-token");
  EXPECT_EQ(request.headers[0].value, "em-s3cret");
}

}  // namespace
}  // namespace heliostat::provider::testing
