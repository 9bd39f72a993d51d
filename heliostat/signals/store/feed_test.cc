#include "heliostat/signals/store/feed.h"

#include <gtest/gtest.h>

#include <functional>

#include "heliostat/signals/store/testing/store_folder.h"

namespace heliostat::store {
namespace {

using namespace std::chrono_literals;
using signal::Freshness;
using signal::Missing;

// The value at a time, as all tests here expect it: a pattern of the week.
double Truth(Instant t) { return 100 + static_cast<double>((t.time_since_epoch() / 1h) % 168); }

// The hours [from, until), complete.
signal::StepSeries Hours(Instant from, Instant until) {
  std::vector<double> values;
  for (Instant t = from; t < until; t += 1h) values.push_back(Truth(t));
  return Steps(from, 1h, std::move(values));
}

// Gives prepared answers and records the requests.
class FakeSource final : public provider::MeasuredSource {
 public:
  using Reply = std::function<Result<provider::CheckedAnswer>(const provider::SignalRequest&)>;
  Result<provider::CheckedAnswer> Measured(const provider::SignalRequest& request) override {
    asked.push_back(request);
    return reply(request);
  }
  Reply reply;
  std::vector<provider::SignalRequest> asked;
};

class FeedTest : public StoreTest {
 protected:
  FeedTest() {
    auto source = std::make_unique<FakeSource>();
    source_ = source.get();
    live_ = {"test", std::move(source), nullptr};
    AnswerUpTo(kMidnight + 10000h);
  }

  // The source has all past hours before `newest`.
  void AnswerUpTo(Instant newest) {
    source_->reply = [this, newest](const provider::SignalRequest& request) -> Result<provider::CheckedAnswer> {
      const Instant until = std::min({newest, request.span.end, clock_.Now()});
      if (until <= request.span.begin) return Fail(ErrorCode::kNotFound, "test", "nothing so new");
      const Instant first = std::chrono::ceil<std::chrono::hours>(request.span.begin);
      auto answer = store::Measured(Hours(first, std::max(until, first + 1h)));
      answer.fetched = clock_.Now();
      return answer;
    };
  }
  void FailWith(ErrorCode code, const std::string& what) {
    source_->reply = [=](const provider::SignalRequest&) -> Result<provider::CheckedAnswer> {
      return Fail(code, "test", what);
    };
  }
  void Keep(const signal::StepSeries& series) { ASSERT_TRUE(store_.PutMeasured("test", store::Measured(series))); }

  Result<FeedAnswer> Get(const Interval& span, Duration max_age, bool live = true) {
    return Feed(store_, clock_, live ? live_ : offline_).Get({"GB", signal::Kind::kCarbonIntensity, span}, max_age);
  }

  // Known values are correct, and exactly those of [from, until) within the span of the answer are known.
  void ExpectKnownExactly(const FeedAnswer& answer, const Interval& known) {
    const auto& series = answer.signal.series;
    for (Instant t = series.start(); t < series.end(); t += series.step()) {
      const auto value = series.At(t);
      ASSERT_EQ(value.has_value(), known.Contains(t)) << FormatInstant(t) << ": " << answer.explanation;
      ASSERT_EQ(value.value_or(Truth(t)), Truth(t));
    }
  }

  ManualClock clock_{kMidnight + 24h};
  // Members are constructed before SetUp() makes the folder.
  SignalStore store_ = [this] {
    std::filesystem::create_directories(folder_);
    return OpenStore();
  }();
  FakeSource* source_;
  provider::Provider live_;
  provider::Provider offline_{"test", nullptr, nullptr};
  Interval day_{kMidnight, kMidnight + 24h};
};

TEST_F(FeedTest, AnswersFromTheStoreWhenItIsRecentEnough) {
  Keep(Hours(kMidnight, kMidnight + 23h));
  const auto answer = Get(day_, 1h);
  ASSERT_TRUE(answer) << answer.error().Line();
  EXPECT_EQ(answer->freshness, Freshness::kMeasured);
  EXPECT_EQ(answer->age, 1h);
  EXPECT_TRUE(source_->asked.empty());
  ExpectKnownExactly(*answer, {kMidnight, kMidnight + 23h});
  EXPECT_EQ(answer->signal.series.span(), day_);
  EXPECT_EQ(answer->explanation,
            "fresh: known up to 2023-06-01T23:00:00Z, 1 h before the time asked for (1 h allowed); "
            "1 of 24 values missing; from the store");
}

TEST_F(FeedTest, AsksTheProviderForWhatIsMissingOnlyAndKeepsIt) {
  Keep(Hours(kMidnight, kMidnight + 20h));
  const auto answer = Get(day_, 1h);
  ASSERT_TRUE(answer) << answer.error().Line();
  EXPECT_EQ(answer->freshness, Freshness::kMeasured);
  EXPECT_EQ(answer->age, 0s);
  ExpectKnownExactly(*answer, day_);
  ASSERT_EQ(source_->asked.size(), 1U);
  EXPECT_EQ(source_->asked[0].span, (Interval{kMidnight + 20h, kMidnight + 24h}));
  EXPECT_EQ(Get(day_, 0s)->freshness, Freshness::kMeasured);
  EXPECT_EQ(source_->asked.size(), 1U);
  ExpectKnownExactly(*Get(day_, 0s, false), day_);
}

TEST_F(FeedTest, AsksForAHoleThatNoAnswerSpanned) {
  Keep(Hours(kMidnight, kMidnight + 5h));
  Keep(Hours(kMidnight + 9h, kMidnight + 24h));
  const auto answer = Get(day_, 1h);
  ASSERT_EQ(source_->asked.size(), 1U);
  EXPECT_EQ(source_->asked[0].span.begin, kMidnight + 5h);
  EXPECT_EQ(answer->freshness, Freshness::kMeasured);
  ExpectKnownExactly(*answer, day_);
}

TEST_F(FeedTest, DoesNotAskAgainForWhatTheProviderSaidIsMissing) {
  Keep(Steps(kMidnight, 1h, {Missing(), Truth(kMidnight + 1h), Missing()}));
  Keep(Hours(kMidnight + 3h, kMidnight + 24h));
  EXPECT_EQ(Get(day_, 1h)->freshness, Freshness::kMeasured);
  EXPECT_TRUE(source_->asked.empty());
}

TEST_F(FeedTest, IsStaleAndSaysSoWhenTheProviderFails) {
  FailWith(ErrorCode::kUnavailable, "time-out");
  Keep(Hours(kMidnight, kMidnight + 20h));
  const auto answer = Get(day_, 1h);
  ASSERT_TRUE(answer) << answer.error().Line();
  EXPECT_EQ(answer->freshness, Freshness::kStale);
  EXPECT_EQ(answer->age, 4h);
  // Known values first, then missing ones: no value is extended.
  ExpectKnownExactly(*answer, {kMidnight, kMidnight + 20h});
  EXPECT_EQ(answer->signal.series.span(), day_);
  EXPECT_EQ(answer->signal.meaning.nature, signal::Nature::kMeasured);
  EXPECT_EQ(answer->explanation,
            "stale: known up to 2023-06-01T20:00:00Z, 4 h before the time asked for (1 h allowed); "
            "4 of 24 values missing; test failed: test: time-out");
}

TEST_F(FeedTest, IsStaleWithoutAProvider) {
  Keep(Hours(kMidnight, kMidnight + 20h));
  const auto answer = Get(day_, 1h, false);
  EXPECT_EQ(answer->freshness, Freshness::kStale);
  EXPECT_NE(answer->explanation.find("no request was sent to test"), std::string::npos);
}

TEST_F(FeedTest, IsStaleWhenTheProviderAnswersWithOldValues) {
  AnswerUpTo(kMidnight + 21h);
  Keep(Hours(kMidnight, kMidnight + 20h));
  const auto answer = Get(day_, 1h);
  EXPECT_EQ(answer->freshness, Freshness::kStale);
  EXPECT_EQ(answer->age, 3h);
  ExpectKnownExactly(*answer, {kMidnight, kMidnight + 21h});
  EXPECT_NE(answer->explanation.find("test answered just now"), std::string::npos) << answer->explanation;
}

TEST_F(FeedTest, IsStaleWhenThePartThatWasWantedCannotBeHad) {
  FailWith(ErrorCode::kUnavailable, "time-out");
  Keep(Hours(kMidnight + 12h, kMidnight + 24h));
  const auto answer = Get(day_, 1h);
  EXPECT_EQ(answer->freshness, Freshness::kStale);
  EXPECT_EQ(answer->age, 0s);
  ExpectKnownExactly(*answer, {kMidnight + 12h, kMidnight + 24h});
}

TEST_F(FeedTest, IsStaleWithNothingKnownWhenTheNewestValueIsBeforeTheSpan) {
  Keep(Hours(kMidnight, kMidnight + 20h));
  const auto answer = Get({kMidnight + 20h, kMidnight + 24h}, 5h, false);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->freshness, Freshness::kStale);
  EXPECT_EQ(answer->signal.series.missing(), 4U);
  EXPECT_EQ(answer->signal.meaning.unit, signal::Unit::kGramsPerKwh);
}

TEST_F(FeedTest, IsStaleWhenTheProviderAnswersWithNothingInTheSpan) {
  Keep(Hours(kMidnight, kMidnight + 20h));
  source_->reply = [](const provider::SignalRequest& request) -> Result<provider::CheckedAnswer> {
    return store::Measured(Steps(request.span.begin, 1h, {Missing(), Missing()}));
  };
  const auto answer = Get({kMidnight + 20h, kMidnight + 24h}, 5h);
  ASSERT_TRUE(answer);
  EXPECT_EQ(source_->asked.size(), 1U);
  EXPECT_EQ(answer->freshness, Freshness::kStale);
}

TEST_F(FeedTest, WhatIsYoungEnoughToBeFreshIsYoungEnoughToBeStale) {
  Keep(Hours(kMidnight + 10h, kMidnight + 16h));
  const auto answer = Get(day_, 9h, false);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->age, 8h);
  EXPECT_EQ(answer->freshness, Freshness::kStale);
}

TEST_F(FeedTest, GivesTheUsualValuesWhenItsOwnAreTooOld) {
  FailWith(ErrorCode::kUnavailable, "time-out");
  clock_.Set(kMidnight + 400h);
  Keep(Hours(kMidnight, kMidnight + 400h - 6h - 1h));
  const Interval span{kMidnight + 390h, kMidnight + 410h};
  const auto answer = Get(span, 1h);
  ASSERT_TRUE(answer) << answer.error().Line();
  EXPECT_EQ(answer->freshness, Freshness::kClimatology);
  EXPECT_EQ(answer->age, 7h);
  // The values repeat weekly, so the usual values are correct, also for the future.
  ExpectKnownExactly(*answer, span);
  EXPECT_EQ(answer->signal.meaning.nature, signal::Nature::kModelled);
  ASSERT_FALSE(answer->signal.meaning.notes.empty());
  EXPECT_EQ(answer->signal.meaning.notes.back(),
            "not measured: the usual values by time of week, from 393 known ones up to 2023-06-17T09:00:00Z");
  EXPECT_NE(answer->explanation.find("the newest value ends 7 h before the time asked for (at most 6 h is stale)"),
            std::string::npos)
      << answer->explanation;
}

// Freshness over age: exactly one state at each age, in one order, each change at its limit.
TEST_F(FeedTest, GoesFromFreshToStaleToClimatologyAtTheLimitsAndComesBack) {
  Keep(Hours(kMidnight, kMidnight + 24h));
  FailWith(ErrorCode::kUnavailable, "down");
  for (Duration age = 0s; age < 10h; age += 10min) {
    clock_.Set(kMidnight + 24h + age);
    const auto answer = Get({kMidnight, clock_.Now()}, 2h);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->age, age);
    EXPECT_EQ(answer->freshness, age <= 2h   ? Freshness::kMeasured
                                 : age <= 6h ? Freshness::kStale
                                             : Freshness::kClimatology)
        << answer->explanation;
  }
  AnswerUpTo(kMidnight + 10000h);
  const auto answer = Get({kMidnight, clock_.Now()}, 2h);
  EXPECT_EQ(answer->freshness, Freshness::kMeasured);
  EXPECT_EQ(answer->signal.meaning.nature, signal::Nature::kMeasured);
  // The climatology was not stored as measured values.
  ExpectKnownExactly(*answer, {kMidnight, std::chrono::ceil<std::chrono::hours>(clock_.Now())});
}

TEST_F(FeedTest, TheClimatologyOfASeriesThatBeginsLaterHasNoAge) {
  Keep(Hours(kMidnight + 12h, kMidnight + 24h));
  const auto answer = Get({kMidnight - 10h, kMidnight}, 1h, false);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->freshness, Freshness::kClimatology);
  EXPECT_FALSE(answer->age);
  EXPECT_EQ(answer->signal.series.missing(), 0U);
}

TEST_F(FeedTest, FailsWhenNothingWasEverKnown) {
  const auto offline = Get(day_, 1h, false);
  ASSERT_FALSE(offline);
  EXPECT_EQ(offline.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(offline.error().Line(),
            "carbon intensity of GB: nothing is stored; no request was sent to test; fetch it when the provider is "
            "available");
  FailWith(ErrorCode::kPermissionDenied, "key refused");
  const auto failed = Get(day_, 1h);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kPermissionDenied);
  EXPECT_NE(failed.error().Line().find("test failed: test: key refused"), std::string::npos);
  // An answer without a value is not a history.
  source_->reply = [](const provider::SignalRequest& request) -> Result<provider::CheckedAnswer> {
    return store::Measured(Steps(request.span.begin, 1h, {Missing()}));
  };
  EXPECT_FALSE(Get(day_, 1h));
}

TEST_F(FeedTest, ForecastsAreNotHistory) {
  ASSERT_TRUE(store_.PutForecast("test", Issued(kMidnight, Hours(kMidnight, kMidnight + 24h))));
  EXPECT_FALSE(Get(day_, 1h, false));
}

TEST_F(FeedTest, KeepsNothingOfAnAnswerToAnotherQuestion) {
  const auto answer_with = [&](const std::function<void(provider::CheckedAnswer&)>& change) {
    source_->reply = [&, change](const provider::SignalRequest&) -> Result<provider::CheckedAnswer> {
      auto answer = store::Measured(Hours(kMidnight, kMidnight + 24h));
      change(answer);
      return answer;
    };
    return Get(day_, 1h);
  };
  EXPECT_FALSE(answer_with([](auto& answer) { answer.signal.meaning.zone = "FR"; }));
  EXPECT_FALSE(answer_with([](auto& answer) { answer.signal.meaning.kind = signal::Kind::kPower; }));
  EXPECT_FALSE(answer_with([](auto& answer) { answer.signal.meaning.nature = signal::Nature::kForecast; }));
  EXPECT_FALSE(answer_with([](auto& answer) { answer.signal.series = Hours(kMidnight, kMidnight + 26h); }));
  EXPECT_TRUE(store_.List()->empty());
  EXPECT_TRUE(answer_with([](auto&) {}));
}

TEST_F(FeedTest, SaysWhenAProviderChangedWhatItMeans) {
  Keep(Hours(kMidnight, kMidnight + 24h));
  auto direct = store::Measured(Hours(kMidnight, kMidnight + 24h));
  direct.signal.meaning.basis = signal::Basis::kDirect;
  ASSERT_TRUE(store_.PutMeasured("test", direct));
  const auto answer = Get(day_, 1h);
  EXPECT_EQ(answer->signal.meaning.basis, signal::Basis::kDirect);
  EXPECT_NE(answer->explanation.find("2 series match"), std::string::npos);
}

TEST_F(FeedTest, RefusesQuestionsThatHaveNoAnswer) {
  Keep(Hours(kMidnight, kMidnight + 24h));
  EXPECT_FALSE(Get({kMidnight + 24h, kMidnight + 30h}, 1h));
  EXPECT_FALSE(Get({kMidnight, kMidnight}, 1h));
  EXPECT_FALSE(Get({Instant::min(), Instant::max()}, 1h));
  EXPECT_FALSE(Get(day_, -1s));
  EXPECT_TRUE(source_->asked.empty());
}

}  // namespace
}  // namespace heliostat::store
