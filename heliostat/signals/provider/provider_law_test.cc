// For any bytes from a server, an accepted answer has the properties of provider::CheckedAnswer.

#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/signals/provider/registry.h"
#include "heliostat/signals/provider/testing/provider_case.h"

namespace heliostat::provider::testing {
namespace {

using std::chrono::hours;
constexpr Instant kNow{Duration{1'773'144'000}};  // 2026-03-10T12:00:00Z

// Answers every request with one body.
class CannedClient final : public io::HttpClient {
 public:
  Result<io::HttpResponse> Get(const io::HttpRequest& request) override {
    return io::HttpResponse{200, {}, request.url.ends_with("/login") ? R"({"token": "t"})" : body};
  }
  std::string body;
};

// One to three cuts, repeats, swapped digits or random bytes.
std::string Mutilated(std::string text, RandomStream& random) {
  for (std::uint64_t wounds = 1 + random.Below(3); wounds > 0 && !text.empty(); --wounds) {
    const auto at = static_cast<std::size_t>(random.Below(text.size()));
    const auto length = static_cast<std::size_t>(1 + random.Below(12));
    switch (random.Below(4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text[at] = static_cast<char>(random.Below(256));
        break;
      default:
        // A number that stays a number gets furthest through the parser.
        if (const auto digit = text.find_first_of("0123456789", at); digit != std::string::npos) {
          text[digit] = static_cast<char>('0' + random.Below(10));
        }
    }
  }
  return text;
}

void ExpectLaws(const CheckedAnswer& answer, const SignalRequest& request, const ProviderCase& provider_case) {
  const auto& series = answer.signal.series;
  ASSERT_TRUE(request.span.Contains(series.span()));
  EXPECT_FALSE(signal::IsMissing(series.values().front()));
  EXPECT_FALSE(signal::IsMissing(series.values().back()));
  if (provider_case.role == AnswerRole::kMeasured) {
    EXPECT_LE(series.TimeOf(series.size() - 1), kNow);
  }
  for (const double value : series.values()) {
    if (signal::IsMissing(value)) continue;
    EXPECT_LE(std::abs(value), 20'000);
    if (provider_case.kind == signal::Kind::kCarbonIntensity) {
      EXPECT_GE(value, 0);
      EXPECT_LE(value, 5000);
    }
  }
}

class ProviderLaw : public ::testing::TestWithParam<ProviderCase> {};

TEST_P(ProviderLaw, HoldsForMutilatedAnswers) {
  const auto& provider_case = GetParam();
  ManualClock clock(kNow);
  CannedClient http;
  const Environment lookup = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = provider_case.environment.find(name);
    return found == provider_case.environment.end() ? std::nullopt : std::optional(found->second);
  };
  const auto provider = MakeProvider(provider_case.name, {http, clock, RandomStream(1), lookup});
  ASSERT_TRUE(provider) << provider.error().Line();
  const bool is_measured = provider_case.role == AnswerRole::kMeasured;
  const Instant begin = is_measured ? kNow - hours(12) : kNow;
  const SignalRequest request{provider_case.zone, provider_case.kind, {begin, begin + hours(12)}};
  std::vector<Point> points;
  for (int i = 0; i < 8; ++i) points.push_back({begin + i * provider_case.step, 100.0 + i});
  const std::string good = provider_case.body(points, kNow, {});

  RandomStream random(20260310);
  int refused = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    clock.Set(kNow);
    http.body = Mutilated(good, random);
    Result<CheckedAnswer> answer = Fail(ErrorCode::kInternal, "test", "not asked");
    if (is_measured) {
      answer = provider->measured->Measured(request);
    } else if (auto issued = provider->forecast->Forecast(request)) {
      answer = std::move(issued->answer);
    }
    if (answer) ExpectLaws(*answer, request, provider_case);
    refused += answer ? 0 : 1;
  }
  // Both outcomes must occur; otherwise the test proves nothing.
  EXPECT_GT(refused, kTrials / 10);
  EXPECT_LT(refused, kTrials);
}

INSTANTIATE_TEST_SUITE_P(All, ProviderLaw, ::testing::ValuesIn(AllProviderCases()),
                         [](const auto& param) { return NameOf(param.param); });

}  // namespace
}  // namespace heliostat::provider::testing
