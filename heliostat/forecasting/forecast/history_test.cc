#include "heliostat/forecasting/forecast/history.h"

#include <gtest/gtest.h>

#include "heliostat/forecasting/forecast/testing/simple_models.h"

namespace heliostat::forecast {
namespace {

using std::chrono::hours;
using testing::At;
using testing::HistoryOf;

const Instant kStart = At("2021-01-01");

signal::StepSeries Hourly(Instant start, std::size_t size) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<double>(i);
  return *signal::StepSeries::Make(start, hours{1}, values);
}

// 100 hours with one source, one provider that is always 6 h ahead and one that issues runs.
History Full() {
  History all = HistoryOf(Hourly(kStart, 100).values());
  all.sources.push_back({"wind", {}, Hourly(kStart, 100)});
  signal::Meaning ahead;
  ahead.lead = hours{6};
  all.issued.push_back({{"6 h ahead", ahead, Hourly(kStart, 100)}, {}});
  Issued runs{{"runs", {}, Hourly(kStart, 100)}, {}};
  for (int i = 0; i < 90; i += 10) runs.runs.push_back({kStart + hours{i}, Hourly(kStart + hours{i}, 10)});
  all.issued.push_back(runs);
  return all;
}

TEST(HistoryTest, BeforeAnOriginNothingMeasuredFromThenOnIsLeft) {
  const History all = Full();
  for (int hour = 1; hour <= 100; ++hour) {
    const Instant origin = kStart + hours{hour};
    const auto past = Before(all, origin);
    ASSERT_TRUE(past) << past.error().Line();
    EXPECT_EQ(past->end(), origin);
    EXPECT_EQ(past->target.series.start(), kStart);
    EXPECT_EQ(past->sources[0].series.end(), origin);
    EXPECT_LE(past->issued[1].signal.series.end(), origin) << "the newest of runs that are yet to come";
    for (const auto& run : past->issued[1].runs) EXPECT_LE(run.issued, origin);
  }
}

TEST(HistoryTest, WhatWasIssuedAheadIsKnownThatFarPastTheOriginAndNoFurther) {
  const History all = Full();
  EXPECT_EQ(Before(all, kStart + hours{50})->issued[0].signal.series.end(), kStart + hours{56});
  EXPECT_EQ(Before(all, kStart + hours{98})->issued[0].signal.series.end(), kStart + hours{100});
}

TEST(HistoryTest, ARunIssuedAtTheOriginIsKnownAndOneAnHourLaterIsNot) {
  EXPECT_EQ(Before(Full(), kStart + hours{20})->issued[1].runs.size(), 3U);
  EXPECT_EQ(Before(Full(), kStart + hours{19})->issued[1].runs.size(), 2U);
}

TEST(HistoryTest, ForecastsThatBeginLaterThanTheTargetAreMissingBefore) {
  History all = Full();
  all.issued[0].signal.series = Hourly(kStart + hours{60}, 40);
  const auto past = Before(all, kStart + hours{10});
  ASSERT_TRUE(past) << past.error().Line();
  EXPECT_EQ(past->issued[0].signal.series.missing(), past->issued[0].signal.series.size());
}

TEST(HistoryTest, TwoOriginsInTurnAreTheEarlierOne) {
  const auto once = Before(Full(), kStart + hours{30});
  const auto twice = Before(*Before(Full(), kStart + hours{70}), kStart + hours{30});
  EXPECT_EQ(twice->target.series.values(), once->target.series.values());
  EXPECT_EQ(twice->issued[0].signal.series.values(), once->issued[0].signal.series.values());
  EXPECT_EQ(twice->issued[1].runs.size(), once->issued[1].runs.size());
}

TEST(HistoryTest, TheNewestPartEndsWhereTheWholeDoes) {
  const auto part = Newest(Full(), hours{24});
  ASSERT_TRUE(part);
  EXPECT_EQ(part->end(), Full().end());
  EXPECT_EQ(part->target.series.size(), 24U);
  EXPECT_EQ(part->sources[0].series.start(), part->target.series.start());
  EXPECT_EQ(Newest(Full(), hours{1000})->target.series.size(), 100U);
}

TEST(HistoryTest, AnOriginBeforeAllValuesOrBetweenTwoIsRefused) {
  EXPECT_FALSE(Before(Full(), kStart));
  EXPECT_FALSE(Before(Full(), kStart + std::chrono::minutes{90}));
}

}  // namespace
}  // namespace heliostat::forecast
