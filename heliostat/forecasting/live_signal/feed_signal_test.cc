#include "heliostat/forecasting/live_signal/feed_signal.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include <algorithm>

#include "heliostat/base/io/testing/scratch.h"

namespace heliostat::live_signal {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const Instant kNow = ParseInstant("2023-06-20T12:00:00Z", "").value();

// The GB grid's server: 200 g at even hours and 300 g at odd ones, up to its own present; or nothing at all.
struct Server {
  Instant until = kNow;
  bool is_silent = false;
  int asked = 0;
};

class FakeHttp final : public io::HttpClient {
 public:
  explicit FakeHttp(Server& server) : server_(server) {}
  Result<io::HttpResponse> Get(const io::HttpRequest& request) override {
    ++server_.asked;
    if (server_.is_silent) return io::HttpResponse{400, {}, "out of order"};
    const Instant end = std::min(TimeAt(request.url, 1), server_.until);
    std::string rows;
    for (Instant t = TimeAt(request.url, 2); t < end; t += 30min) {
      const bool is_odd = (t.time_since_epoch() / std::chrono::hours(1)) % 2 != 0;
      rows += fmt::format(R"({}{{"from":"{}","to":"{}","intensity":{{"forecast":1,"actual":{},"index":"low"}}}})",
                          rows.empty() ? "" : ",", Text(t), Text(t + 30min), is_odd ? 300 : 200);
    }
    return io::HttpResponse{200, {}, fmt::format(R"({{"data": [{}]}})", rows)};
  }

 private:
  // "2018-01-20T12:00Z".
  static std::string Text(Instant t) { return FormatInstant(t).substr(0, 16) + "Z"; }
  // The time in the n-th part of a path from its end.
  static Instant TimeAt(std::string url, int n) {
    for (; n > 1; --n) url.resize(url.rfind('/'));
    std::string text = url.substr(url.rfind('/') + 1);
    for (std::size_t at = 0; (at = text.find("%3A")) != std::string::npos;) text.replace(at, 3, ":");
    return ParseInstant(text, "url").value();
  }
  Server& server_;
};

class FeedSignalTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<SignalSource>> Open(const std::string& provider = "neso") {
    const Environment environment = [this](const std::string& name) {
      return name == "HELIOSTAT_STORE" ? std::optional<std::string>(scratch_.folder() / "signals.db") : std::nullopt;
    };
    return FeedSignal::Open(provider, "GB", "yesterday", environment, clock_,
                            [this](const auto&) { return std::make_unique<FakeHttp>(server_); });
  }
  void Refresh(SignalSource& source) { EXPECT_TRUE(dynamic_cast<FeedSignal&>(source).Refresh()); }

  io::Scratch scratch_;
  ManualClock clock_{kNow};
  Server server_;
};

TEST_F(FeedSignalTest, FollowsTheProviderAsTimePasses) {
  const auto source = Open();
  ASSERT_TRUE(source) << source.error().Line();
  EXPECT_FALSE((*source)->is_known()) << "opening waits for nobody";
  Refresh(**source);
  EXPECT_TRUE((*source)->is_known());
  EXPECT_EQ((*source)->name(), "neso GB");
  EXPECT_EQ((*source)->At(kNow - 1min).number, 300);
  EXPECT_EQ((*source)->At(kNow - 1min).freshness, signal::Freshness::kMeasured);
  clock_.Advance(2h);
  server_.until = kNow + 2h;
  EXPECT_EQ((*source)->At(kNow + 119min).freshness, signal::Freshness::kStale) << "nothing new was asked for yet";
  Refresh(**source);
  EXPECT_EQ((*source)->At(kNow + 119min).freshness, signal::Freshness::kMeasured);
  EXPECT_EQ((*source)->At(kNow + 119min).number, 300);
}

TEST_F(FeedSignalTest, WhenTheProviderFallsSilentTheLastValuesGrowStaleAndThenUsual) {
  const auto source = Open();
  ASSERT_TRUE(source) << source.error().Line();
  Refresh(**source);
  server_.is_silent = true;
  const auto later = [&](Duration passed) {
    clock_.Set(kNow + passed);
    Refresh(**source);
    return (*source)->At(kNow + passed);
  };
  EXPECT_EQ(later(30min).freshness, signal::Freshness::kForecast) << "not published yet";
  const SignalSource::Value stale = later(3h);
  EXPECT_EQ(stale.freshness, signal::Freshness::kStale);
  EXPECT_EQ(stale.age, 3h);
  EXPECT_EQ(stale.number, 300) << "as the day before";
  const SignalSource::Value usual = later(20h);
  EXPECT_EQ(usual.freshness, signal::Freshness::kClimatology) << "the store's usual values are not taken for measured";
  EXPECT_EQ(usual.age, 20h);
  EXPECT_EQ((*source)->At(kNow + 20h - 1min).number, 300) << "as at that hour of other days";
  EXPECT_EQ((*source)->At(kNow + 19h - 1min).number, 200);
  EXPECT_EQ((*source)->Ahead(kNow + 20h, 1h, 24).size(), 24U) << "a decision never waits for a feed";
}

TEST_F(FeedSignalTest, WhatTheStoreHoldsIsEnoughToBegin) {
  Refresh(**Open());
  server_.is_silent = true;
  clock_.Advance(4h);
  const auto source = Open();
  ASSERT_TRUE(source) << source.error().Line();
  Refresh(**source);
  EXPECT_EQ((*source)->At(kNow + 4h).freshness, signal::Freshness::kStale);
}

TEST_F(FeedSignalTest, WithoutAnswerAndStoreNothingIsKnownUntilTheProviderIsBack) {
  server_.is_silent = true;
  const auto source = Open();
  ASSERT_TRUE(source) << source.error().Line();
  EXPECT_FALSE(dynamic_cast<FeedSignal&>(**source).Refresh());
  EXPECT_GT(server_.asked, 0);
  EXPECT_FALSE((*source)->is_known());
  server_.is_silent = false;
  Refresh(**source);
  EXPECT_TRUE((*source)->is_known());
}

TEST_F(FeedSignalTest, ItsThreadAsksAtOnce) {
  const auto source = Open();
  ASSERT_TRUE(source) << source.error().Line();
  (*source)->Begin();
  for (int i = 0; i < 2000 && !(*source)->is_known(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE((*source)->is_known());
}

TEST_F(FeedSignalTest, AProviderThatDoesNotExistIsRefused) {
  const auto unknown = Open("delphi");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(unknown.error().Line(), HasSubstr("delphi"));
}

}  // namespace
}  // namespace heliostat::live_signal
