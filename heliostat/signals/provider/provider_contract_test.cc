// The contract of every provider in every role, for any behaviour of the server.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <cmath>

#include "heliostat/base/io/testing/local_server.h"
#include "heliostat/signals/provider/registry.h"
#include "heliostat/signals/provider/testing/provider_case.h"

namespace heliostat::provider::testing {
namespace {

using io::testing::LocalServer;
using io::testing::ReceivedRequest;
using io::testing::Reply;
using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Instant kNow{Duration{1'773'144'000}};  // 2026-03-10T12:00:00Z

class ProviderContract : public ::testing::TestWithParam<ProviderCase> {
 protected:
  // The answer of the server to the n-th request for data, from 0.
  using Script = std::function<Reply(int n)>;

  ProviderContract()
      : server_([this](const ReceivedRequest& request) {
          if (request.target == "/login") return Reply{200, R"({"token": "t0ken-s3cret"})"};
          return script_(asked_++);
        }) {
    io::testing::ForgetProxies();
  }

  bool IsMeasured() const { return GetParam().role == AnswerRole::kMeasured; }
  Instant Begin() const { return IsMeasured() ? kNow - hours(12) : kNow; }
  SignalRequest Asked() const { return {GetParam().zone, GetParam().kind, {Begin(), Begin() + hours(12)}}; }

  // `count` points from the beginning of the request: 100, 110, 120, ...
  std::vector<Point> Points(int count) const {
    std::vector<Point> points;
    for (int i = 0; i < count; ++i) points.push_back({Begin() + i * GetParam().step, 100.0 + 10 * i});
    return points;
  }
  std::string Body(const std::vector<Point>& points, const Departure& departure = {}) const {
    return GetParam().body(points, kNow - Duration{600}, departure);
  }

  Result<Provider> Make(std::map<std::string, std::string> environment) {
    const Environment lookup = [environment = std::move(environment)](const std::string& name) {
      const auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::optional<std::string>(found->second);
    };
    return MakeProvider(GetParam().name, {http_, clock_, RandomStream(7), lookup, server_.url(), {.most_attempts = 2}});
  }

  Result<CheckedAnswer> Ask(const SignalRequest& request, Script script) {
    script_ = std::move(script);
    asked_ = 0;
    const auto provider = Make(GetParam().environment);
    if (!provider) return Propagate(provider);
    if (IsMeasured()) return provider->measured->Measured(request);
    auto issued = provider->forecast->Forecast(request);
    if (!issued) return Propagate(issued);
    issued_ = issued->issued;
    return std::move(issued->answer);
  }
  Result<CheckedAnswer> Ask(const std::string& body) {
    return Ask(Asked(), [body](int) { return Reply{200, body}; });
  }

  void ExpectError(const Result<CheckedAnswer>& answer, ErrorCode code) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, code) << answer.error().Line();
    EXPECT_THAT(answer.error().Line(), Not(HasSubstr("s3cret")));
  }
  void ExpectGood(const Result<CheckedAnswer>& answer, const std::vector<std::optional<double>>& values) {
    ASSERT_TRUE(answer) << answer.error().Line();
    const auto& series = answer->signal.series;
    EXPECT_EQ(series.start(), Begin());
    EXPECT_EQ(series.step(), GetParam().step);
    ASSERT_EQ(series.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(signal::IsMissing(series.values()[i]), !values[i]) << i;
      if (values[i]) {
        EXPECT_NEAR(series.values()[i], *values[i], 1e-9) << i;
      }
    }
  }

  ManualClock clock_{kNow};
  io::CurlHttpClient http_{io::HttpOptions{.connect_timeout = milliseconds(1000), .total_timeout = milliseconds(1000)}};
  Script script_;
  std::atomic<int> asked_ = 0;
  Instant issued_;
  LocalServer server_;
};

TEST_P(ProviderContract, GivesTheValuesAndTheirMeaning) {
  const auto answer = Ask(Body(Points(4)));
  ExpectGood(answer, {100, 110, 120, 130});
  const auto& meaning = answer->signal.meaning;
  EXPECT_EQ(meaning.kind, GetParam().kind);
  EXPECT_EQ(meaning.zone, GetParam().zone);
  EXPECT_EQ(meaning.source, "provider:" + GetParam().name);
  EXPECT_EQ(meaning.nature == signal::Nature::kForecast, !IsMeasured());
  EXPECT_NE(meaning.nature, signal::Nature::kUnknown);
  if (GetParam().kind == signal::Kind::kPrice) {
    EXPECT_EQ(meaning.unit, signal::Unit::kPerMwh);
    EXPECT_EQ(meaning.currency, Currency::Eur());
  } else {
    EXPECT_EQ(meaning.unit, signal::Unit::kGramsPerKwh);
    EXPECT_NE(meaning.basis, signal::Basis::kUnknown);
    EXPECT_NE(meaning.scope, signal::Scope::kUnknown);
  }
  EXPECT_EQ(answer->fetched, kNow);
  EXPECT_THAT(answer->origin, HasSubstr(server_.url()));
  EXPECT_THAT(answer->origin, Not(HasSubstr("s3cret")));
  if (!IsMeasured()) {
    EXPECT_LE(issued_, kNow);
  }
}

TEST_P(ProviderContract, NeverGivesMoreThanAsked) {
  auto request = Asked();
  request.span = {Begin() + 2 * GetParam().step, Begin() + 5 * GetParam().step};
  const auto answer = Ask(request, [&](int) { return Reply{200, Body(Points(8))}; });
  ASSERT_TRUE(answer) << answer.error().Line();
  EXPECT_EQ(answer->signal.series.span(), request.span);
  EXPECT_NEAR(answer->signal.series.values().front(), 120, 1e-9);
}

TEST_P(ProviderContract, TakesAGapAndANullAsMissing) {
  auto points = Points(7);
  points[4].value = std::nullopt;
  points.erase(points.begin() + 1, points.begin() + 3);
  ExpectGood(Ask(Body(points)), {100, std::nullopt, std::nullopt, 130, std::nullopt, 150, 160});
}

TEST_P(ProviderContract, TakesTimesInAnyOrder) {
  auto points = Points(4);
  std::swap(points[0], points[3]);
  points.push_back(points[1]);
  ExpectGood(Ask(Body(points)), {100, 110, 120, 130});
}

TEST_P(ProviderContract, RefusesATimeWithTwoValues) {
  auto points = Points(4);
  points.push_back({points[1].begin, 111.5});
  ExpectError(Ask(Body(points)), ErrorCode::kCorrupt);
}

TEST_P(ProviderContract, RefusesNaN) {
  auto points = Points(4);
  points[2].value = std::nan("");
  ExpectError(Ask(Body(points)), ErrorCode::kCorrupt);
}

TEST_P(ProviderContract, RefusesMixedSteps) {
  auto points = Points(4);
  points.push_back({points[3].begin + GetParam().step / 3, 140});
  ExpectError(Ask(Body(points)), ErrorCode::kCorrupt);
}

TEST_P(ProviderContract, RefusesAnotherUnit) {
  ExpectError(Ask(Body(Points(4), {.other_unit = true})), ErrorCode::kCorrupt);
}

// Of providers whose answers name their zone.
class ZoneContract : public ProviderContract {};

TEST_P(ZoneContract, RefusesAnotherZone) {
  ExpectError(Ask(Body(Points(4), {.other_zone = true})), ErrorCode::kCorrupt);
}

class MeasuredContract : public ProviderContract {};

TEST_P(MeasuredContract, NeverMeasuresTheFuture) {
  auto request = Asked();
  request.span.end = kNow + hours(12);
  std::vector<Point> points;
  for (Instant t = kNow - 2 * GetParam().step; t < kNow + 4 * GetParam().step; t += GetParam().step) {
    points.push_back({t, 50});
  }
  const auto answer = Ask(request, [&](int) { return Reply{200, Body(points)}; });
  if (GetParam().kind == signal::Kind::kPrice) {  // prices of the next day are neither an error nor a measurement
    ASSERT_TRUE(answer) << answer.error().Line();
    EXPECT_LE(answer->signal.series.end(), kNow);
  } else {
    ExpectError(answer, ErrorCode::kCorrupt);
  }
  request.span = {kNow + hours(1), kNow + hours(2)};
  ExpectError(Ask(request, [&](int) { return Reply{200, Body(points)}; }), ErrorCode::kInvalidArgument);
}

TEST_P(ProviderContract, RefusesAnAnswerWithNothingInIt) {
  ExpectError(Ask(""), ErrorCode::kCorrupt);
  ExpectError(Ask(" \n"), ErrorCode::kCorrupt);
  ExpectError(Ask(Body({})), ErrorCode::kNotFound);
}

TEST_P(ProviderContract, RefusesGarbage) {
  const std::string good = Body(Points(4));
  for (const std::string& garbage :
       {std::string("<html><body>Please log in</body></html>"), std::string("null"), std::string("[]"),
        std::string("{}"), std::string("{\"data\": 1}"), std::string("\xff\xfe\x00\x01", 4),
        good.substr(0, good.size() / 2), good + good, std::string(100'000, '[')}) {
    ExpectError(Ask(garbage), ErrorCode::kCorrupt);
  }
}

TEST_P(ProviderContract, GivesUpOnASlowServer) {
  io::CurlHttpClient hasty(io::HttpOptions{.total_timeout = milliseconds(50)});
  script_ = [](int) { return Reply{200, "late", {}, milliseconds(3000)}; };
  const Environment lookup = [](const std::string& name) -> std::optional<std::string> {
    const auto found = GetParam().environment.find(name);
    return found == GetParam().environment.end() ? std::nullopt : std::optional(found->second);
  };
  const auto provider =
      MakeProvider(GetParam().name, {hasty, clock_, RandomStream(7), lookup, server_.url(), {.most_attempts = 2}});
  ASSERT_TRUE(provider) << provider.error().Line();
  const auto code = IsMeasured() ? provider->measured->Measured(Asked()).error().code
                                 : provider->forecast->Forecast(Asked()).error().code;
  EXPECT_EQ(code, ErrorCode::kUnavailable);
  EXPECT_EQ(asked_, 2);
}

TEST_P(ProviderContract, AsksAgainAfterATransientFailure) {
  const Reply good{200, Body(Points(4))};
  for (const Reply& bad : {Reply{500, "oops"}, Reply{503}, Reply{200, good.body, {}, milliseconds(0), true}}) {
    ExpectGood(Ask(Asked(), [&](int n) { return n == 0 ? bad : good; }), {100, 110, 120, 130});
    EXPECT_EQ(asked_, 2);
  }
  ExpectError(Ask(Asked(), [](int) { return Reply{500}; }), ErrorCode::kUnavailable);
}

TEST_P(ProviderContract, WaitsAsLongAsTheServerAsks) {
  const Reply good{200, Body(Points(4))};
  const Reply wait{429, "slow down", {{"Retry-After", "7"}}};
  const auto answer = Ask(Asked(), [&](int n) { return n == 0 ? wait : good; });
  ExpectGood(answer, {100, 110, 120, 130});
  EXPECT_EQ(clock_.slept(), milliseconds(7000));
}

TEST_P(ProviderContract, DoesNotRepeatARefusal) {
  ExpectError(Ask(Asked(), [](int) { return Reply{404}; }), ErrorCode::kNotFound);
  EXPECT_EQ(asked_, 1);
  ExpectError(Ask(Asked(), [](int) { return Reply{400}; }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(asked_, 1);
  // The body repeats the request, as some gateways do.
  ExpectError(Ask(Asked(),
                  [this](int) {
                    return Reply{401, server_.received().back().target};
                  }),
              ErrorCode::kPermissionDenied);
  EXPECT_EQ(asked_, 1);
  EXPECT_EQ(clock_.slept(), milliseconds(0));
}

TEST_P(ProviderContract, TakesNoKeyToAnotherHost) {
  LocalServer thief([](const ReceivedRequest&) { return Reply{200, "thanks"}; });
  const auto answer = Ask(Asked(), [&](int) { return Reply{302, "", {{"Location", thief.url()}}}; });
  if (GetParam().environment.empty()) {
    ExpectError(answer, ErrorCode::kCorrupt);
    EXPECT_EQ(thief.received().size(), 1u);
  } else {
    ExpectError(answer, ErrorCode::kPermissionDenied);
    EXPECT_TRUE(thief.received().empty());
  }
}

TEST_P(ProviderContract, RefusesRequestsItCannotAnswerWithoutAsking) {
  const Script never = [](int) { return Reply{200, "asked"}; };
  auto other_kind = Asked();
  other_kind.kind = signal::Kind::kPower;
  ExpectError(Ask(other_kind, never), ErrorCode::kUnsupported);
  auto no_time = Asked();
  no_time.span.end = no_time.span.begin;
  ExpectError(Ask(no_time, never), ErrorCode::kInvalidArgument);
  for (const char* zone : {"", "../admin", "a b", "a&b=c", "DE\r\nX: 1"}) {
    auto bad_zone = Asked();
    bad_zone.zone = zone;
    ExpectError(Ask(bad_zone, never), ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(server_.received().empty());
}

TEST_P(ProviderContract, NamesTheKeyThatIsWanting) {
  for (const auto& [variable, value] : GetParam().environment) {
    auto without = GetParam().environment;
    without.erase(variable);
    const auto provider = Make(without);
    ASSERT_FALSE(provider) << variable;
    EXPECT_EQ(provider.error().code, ErrorCode::kPermissionDenied);
    EXPECT_THAT(provider.error().Line(), HasSubstr(variable));
  }
}

template <typename Filter>
std::vector<ProviderCase> Those(Filter filter) {
  std::vector<ProviderCase> cases = AllProviderCases();
  std::erase_if(cases, [&](const ProviderCase& c) { return !filter(c); });
  return cases;
}

const auto kNameOfParam = [](const auto& param) { return NameOf(param.param); };

INSTANTIATE_TEST_SUITE_P(All, ProviderContract, ::testing::ValuesIn(AllProviderCases()), kNameOfParam);
INSTANTIATE_TEST_SUITE_P(All, ZoneContract,
                         ::testing::ValuesIn(Those([](const ProviderCase& c) { return c.says_zone; })), kNameOfParam);
INSTANTIATE_TEST_SUITE_P(All, MeasuredContract, ::testing::ValuesIn(Those([](const ProviderCase& c) {
                           return c.role == AnswerRole::kMeasured;
                         })),
                         kNameOfParam);

}  // namespace
}  // namespace heliostat::provider::testing
