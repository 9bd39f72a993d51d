#include "heliostat/signals/provider/retry.h"

#include <gmock/gmock.h>

#include <functional>
#include <set>

namespace heliostat::provider {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
constexpr Instant kStart{Duration{1'700'000'000}};

// Answers from a list, then repeats the last entry.
class ScriptedClient final : public io::HttpClient {
 public:
  explicit ScriptedClient(std::vector<Result<io::HttpResponse>> script) : script_(std::move(script)) {}
  Result<io::HttpResponse> Get(const io::HttpRequest&) override {
    return script_[std::min(asked_++, script_.size() - 1)];
  }
  std::size_t asked() const { return asked_; }

 private:
  std::vector<Result<io::HttpResponse>> script_;
  std::size_t asked_ = 0;
};

Result<io::HttpResponse> Status(int status, std::vector<io::HttpHeader> headers = {}) {
  return io::HttpResponse{status, std::move(headers), "body"};
}
Result<io::HttpResponse> NoConnection() { return Fail(ErrorCode::kUnavailable, "host", "no connection"); }

class RetryTest : public ::testing::Test {
 protected:
  Result<io::HttpResponse> Ask(ScriptedClient& http, RetryPolicy policy = {}, std::uint64_t seed = 1) {
    RetryingClient client(http, clock_, RandomStream(seed), Quota(clock_, {1000, Duration{1}}), policy, "provider x");
    return client.Get({"http://x", {}});
  }
  ManualClock clock_{kStart};
};

TEST_F(RetryTest, TriesAgainUntilThereIsAnAnswer) {
  ScriptedClient http({NoConnection(), Status(500), Status(429), Status(200)});
  const auto answer = Ask(http);
  ASSERT_TRUE(answer) << answer.error().Line();
  EXPECT_EQ(answer->body, "body");
  EXPECT_EQ(http.asked(), 4u);
  // 500, 1000 and 2000 ms, each between half and all.
  EXPECT_GE(clock_.slept(), milliseconds(1750));
  EXPECT_LE(clock_.slept(), milliseconds(3500));
}

TEST_F(RetryTest, GivesUpAfterItsAttempts) {
  ScriptedClient http({Status(503)});
  const auto answer = Ask(http, {.most_attempts = 3});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(answer.error().Line(), HasSubstr("503"));
  EXPECT_THAT(answer.error().Line(), HasSubstr("3 attempts"));
  EXPECT_EQ(http.asked(), 3u);
}

TEST_F(RetryTest, DoesNotRepeatWhatCannotGetBetter) {
  const std::vector<std::pair<int, ErrorCode>> cases{{401, ErrorCode::kPermissionDenied},
                                                     {403, ErrorCode::kPermissionDenied},
                                                     {404, ErrorCode::kNotFound},
                                                     {400, ErrorCode::kInvalidArgument},
                                                     {304, ErrorCode::kCorrupt}};
  for (const auto& [status, code] : cases) {
    ScriptedClient http({Status(status)});
    const auto answer = Ask(http);
    ASSERT_FALSE(answer) << status;
    EXPECT_EQ(answer.error().code, code) << status;
    EXPECT_EQ(http.asked(), 1u) << status;
  }
  EXPECT_EQ(clock_.slept(), milliseconds(0));
}

TEST_F(RetryTest, WaitsAsLongAsTheServerAsks) {
  ScriptedClient http({Status(429, {{"retry-after", "17"}}), Status(200)});
  ASSERT_TRUE(Ask(http));
  EXPECT_EQ(clock_.slept(), milliseconds(17'000));
}

TEST_F(RetryTest, DoesNotWaitBeyondItsTotal) {
  ScriptedClient http({Status(429, {{"Retry-After", "3600"}}), Status(200)});
  const auto answer = Ask(http);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(answer.error().Line(), HasSubstr("3600 s"));
  EXPECT_EQ(http.asked(), 1u);
  EXPECT_EQ(clock_.slept(), milliseconds(0));
}

TEST_F(RetryTest, SpreadsItsAttemptsByChance) {
  std::set<milliseconds> waits;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto before = clock_.slept();
    ScriptedClient http({Status(500), Status(200)});
    ASSERT_TRUE(Ask(http, {}, seed));
    waits.insert(clock_.slept() - before);
  }
  EXPECT_GT(waits.size(), 10u);
}

TEST_F(RetryTest, NeverWaitsLongerThanAllowedBetweenAttempts) {
  ScriptedClient http({Status(500)});
  const RetryPolicy policy{40, milliseconds(1000), milliseconds(2000), milliseconds(1'000'000)};
  ASSERT_FALSE(Ask(http, policy));
  EXPECT_EQ(http.asked(), 40u);
  EXPECT_LE(clock_.slept(), milliseconds(39 * 2000));
}

TEST_F(RetryTest, EveryAttemptCountsAgainstTheQuota) {
  ScriptedClient http({Status(500)});
  RetryingClient client(http, clock_, RandomStream(1), Quota(clock_, {2, Duration{3600}}), {}, "provider x");
  const auto answer = client.Get({"http://x", {}});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().Line(), HasSubstr("quota"));
  EXPECT_EQ(http.asked(), 2u);
}

TEST(RetryAfterTest, ReadsSecondsAndDates) {
  EXPECT_EQ(ParseRetryAfter("0", kStart), Duration{0});
  EXPECT_EQ(ParseRetryAfter("120", kStart), Duration{120});
  // 1'700'000'000 is 2023-11-14T22:13:20Z.
  EXPECT_EQ(ParseRetryAfter("Tue, 14 Nov 2023 22:14:00 GMT", kStart), Duration{40});
  EXPECT_EQ(ParseRetryAfter("Sun, 06 Nov 1994 08:49:37 GMT", kStart), Duration{0});
  for (const char* wrong : {"", "soon", "-5", "1.5", "Tue, 14 Nov 2023 22:14:00 CET", "Tue, 14 Now 2023 22:14:00 GMT",
                            "Tue, 31 Feb 2023 22:14:00 GMT", "Tue, 14 Nov 2023 25:14:00 GMT"}) {
    EXPECT_EQ(ParseRetryAfter(wrong, kStart), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace heliostat::provider
