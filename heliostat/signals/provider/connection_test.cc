#include "heliostat/signals/provider/connection.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

namespace heliostat::provider {
namespace {

using ::testing::ElementsAre;

constexpr Duration kHour{3600};
Instant At(std::string_view text) { return *ParseInstant(text, "test"); }

// A provider whose value for each hour since 1970 is the number of the hour; some days have none.
Result<CheckedAnswer> CountHours(const SignalRequest& piece, Instant silent_from, Instant silent_to) {
  std::vector<double> values;
  const Instant begin = std::chrono::ceil<std::chrono::hours>(piece.span.begin);
  for (Instant t = begin; t + kHour <= piece.span.end; t += kHour) {
    const bool is_silent = t >= silent_from && t < silent_to;
    values.push_back(is_silent ? signal::Missing() : static_cast<double>(t.time_since_epoch() / kHour));
  }
  if (std::ranges::all_of(values, signal::IsMissing)) return Fail(ErrorCode::kNotFound, "x", "nothing");
  return CheckedAnswer{{"x", {}, *signal::StepSeries::Make(begin, kHour, std::move(values))}, piece.span.end, "first"};
}

TEST(ConnectionTest, NamesVariables) {
  EXPECT_EQ(VariableOf("energy-charts", "URL"), "HELIOSTAT_ENERGYCHARTS_URL");
  EXPECT_EQ(VariableOf("electricity-maps", "TOKEN"), "HELIOSTAT_ELECTRICITYMAPS_TOKEN");
}

// The pieces of a request do not change the joined answer.
TEST(AskInPiecesTest, JoinsToWhatOneQuestionWouldHaveGiven) {
  for (const Duration offset : {Duration{0}, 7 * kHour, Duration{1234}}) {
    const SignalRequest request{"Z", signal::Kind::kOther, {At("2025-03-28") + offset, At("2025-04-09") + offset}};
    const auto ask = [](const SignalRequest& piece) { return CountHours(piece, At("2025-03-31"), At("2025-04-02")); };
    const auto whole = ask(request);
    std::size_t asked = 0;
    const auto joined = AskInPieces(request, std::chrono::days(2), [&](const SignalRequest& piece) {
      ++asked;
      EXPECT_LE(piece.span.length(), std::chrono::days(2));
      return ask(piece);
    });
    ASSERT_TRUE(joined) << joined.error().Line();
    EXPECT_GE(asked, 6u);
    EXPECT_EQ(joined->signal.series.span(), whole->signal.series.span());
    EXPECT_EQ(joined->signal.series.missing(), 48u);
    EXPECT_EQ(*joined->signal.series.At(At("2025-04-05")), *whole->signal.series.At(At("2025-04-05")));
    EXPECT_EQ(joined->origin, "first");
  }
}

TEST(AskInPiecesTest, FailsWhereAPieceFailsAndWhereAllAreEmpty) {
  const SignalRequest request{"Z", signal::Kind::kOther, {At("2025-03-28"), At("2025-04-09")}};
  const auto empty = AskInPieces(request, std::chrono::days(2), [](const SignalRequest& piece) {
    return CountHours(piece, At("2020-01-01"), At("2030-01-01"));
  });
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, ErrorCode::kNotFound);
  const auto failing =
      AskInPieces(request, std::chrono::days(2), [](const SignalRequest& piece) -> Result<CheckedAnswer> {
        if (piece.span.begin > At("2025-04-01")) return Fail(ErrorCode::kUnavailable, "x", "gone");
        return CountHours(piece, {}, {});
      });
  ASSERT_FALSE(failing);
  EXPECT_EQ(failing.error().code, ErrorCode::kUnavailable);
}

class NoHttp final : public io::HttpClient {
 public:
  Result<io::HttpResponse> Get(const io::HttpRequest& request) override {
    asked.push_back(request.url);
    return io::HttpResponse{200, {}, "fine"};
  }
  std::vector<std::string> asked;
};

class ConnectionUrlTest : public ::testing::Test {
 protected:
  Result<std::shared_ptr<Connection>> Open(std::map<std::string, std::string> variables,
                                           std::optional<std::string> base_url = std::nullopt) {
    const Environment lookup = [variables](const std::string& name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    return Connection::Open({http_, clock_, RandomStream(1), lookup, std::move(base_url)},
                            {"my-grid", "https://grid.example", {1, Duration{1}}});
  }
  NoHttp http_;
  ManualClock clock_{Instant{}};
};

TEST_F(ConnectionUrlTest, AsksTheAddressThatIsSet) {
  EXPECT_EQ((*Open({}))->At("/x").full(), "https://grid.example/x");
  EXPECT_EQ((*Open({{"HELIOSTAT_MYGRID_URL", "http://127.0.0.1:1/base/"}}))->At("/x").full(),
            "http://127.0.0.1:1/base/x");
  EXPECT_EQ((*Open({{"HELIOSTAT_MYGRID_URL", "http://a"}}, "http://b"))->At("/x").full(), "http://b/x");
}

TEST_F(ConnectionUrlTest, RefusesAnAddressThatIsNone) {
  for (const char* url : {"", "grid.example", "file:///etc/passwd", "http://u:p@grid", "http://grid?x=1"}) {
    const auto connection = Open({}, url);
    ASSERT_FALSE(connection) << url;
    EXPECT_EQ(connection.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST_F(ConnectionUrlTest, KeepsTheQuota) {
  const auto connection = *Open({});
  ASSERT_TRUE(connection->Get(connection->At("/1")));
  EXPECT_EQ(clock_.slept().count(), 0);
  ASSERT_TRUE(connection->Get(connection->At("/2")));
  EXPECT_GE(clock_.slept().count(), 1000);
  EXPECT_THAT(http_.asked, ElementsAre("https://grid.example/1", "https://grid.example/2"));
}

TEST(BasisFromTest, IsLifeCycleUnlessToldOtherwise) {
  const auto with = [](std::optional<std::string> value) {
    return BasisFrom([value](const std::string&) { return value; }, "eia");
  };
  EXPECT_EQ(*with(std::nullopt), signal::Basis::kLifecycle);
  EXPECT_EQ(*with("lifecycle"), signal::Basis::kLifecycle);
  EXPECT_EQ(*with("direct"), signal::Basis::kDirect);
  EXPECT_FALSE(with("stack"));
}

}  // namespace
}  // namespace heliostat::provider
