#include "heliostat/forecasting/forecast/error_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heliostat/base/core/random.h"
#include "heliostat/forecasting/forecast/error_pool.h"
#include "heliostat/forecasting/forecast/testing/simple_models.h"

namespace heliostat::forecast {
namespace {

using testing::At;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
const Instant kStart = At("2021-01-01");

Instant Day(int day) { return kStart + std::chrono::days{day}; }

void Add(ErrorRecord& record, Instant origin, const std::vector<double>& forecast, const std::vector<double>& actual) {
  record.Add(origin, forecast, actual);
}

TEST(ErrorRecordTest, ApplyingAnErrorToItsForecastGivesTheActual) {
  RandomStream random(1);
  for (const auto scale : {ErrorScale::kAbsolute, ErrorScale::kRelative}) {
    for (int i = 0; i < 200; ++i) {
      ErrorRecord record(scale, 5);
      const double forecast = random.Uniform(1, 900);
      const double actual = random.Uniform(1, 900);
      Add(record, kStart, {forecast}, {actual});
      EXPECT_NEAR(record.Apply(forecast, record.AtLead(0)[0]), actual, 1e-9 * actual);
    }
  }
}

TEST(ErrorRecordTest, WhatIsNotKnownOrHasNoLogarithmIsLeftOut) {
  ErrorRecord record(ErrorScale::kRelative, 5);
  Add(record, kStart, {10, 10, 0, 10}, {20, kUnknown, 5, 0});
  EXPECT_EQ(record.AtLead(0).size(), 1U);
  for (const std::size_t lead : {1U, 2U, 3U, 4U, 99U}) EXPECT_TRUE(record.AtLead(lead).empty()) << lead;
}

TEST(ErrorRecordTest, AForecastThatBecomesKnownBitByBitIsOneForecast) {
  ErrorRecord record(ErrorScale::kAbsolute, 5);
  Add(record, Day(0), {1, 1}, {3, kUnknown});
  Add(record, Day(1), {1, 1}, {9, kUnknown});
  Add(record, Day(0), {1, 1}, {3, 5});
  ASSERT_EQ(record.rows().size(), 2U);
  EXPECT_THAT(record.AtLead(0), ElementsAre(2, 8));
  EXPECT_THAT(record.AtLead(1), ElementsAre(4));
}

TEST(ErrorRecordTest, HoldsTheNewestInOrderOfOriginWhateverTheOrderOfAdding) {
  ErrorRecord record(ErrorScale::kAbsolute, 3);
  for (const int day : {4, 1, 3, 0, 2}) Add(record, Day(day), {0}, {static_cast<double>(day)});
  EXPECT_THAT(record.AtLead(0), ElementsAre(2, 3, 4));
}

TEST(ErrorRecordTest, TheSortedErrorsAreAlwaysThoseOfTheRows) {
  RandomStream random(2);
  ErrorRecord record(ErrorScale::kAbsolute, 7);
  for (int i = 0; i < 500; ++i) {
    std::vector<double> actual(4);
    for (double& value : actual) {
      value = random.Chance(0.3) ? kUnknown : static_cast<double>(random.Below(4));  // many equal values
    }
    Add(record, Day(static_cast<int>(random.Below(20))), {0, 0, 0, 0}, actual);
    ASSERT_LE(record.rows().size(), 7U);
    for (std::size_t lead = 0; lead < 4; ++lead) {
      auto expected = record.AtLead(lead);
      std::ranges::sort(expected);
      const auto sorted = record.SortedAtLead(lead);
      ASSERT_EQ(std::vector<double>(sorted.begin(), sorted.end()), expected);
    }
  }
}

TEST(ErrorRecordTest, ComesBackFromItsTextAsItWas) {
  ErrorRecord record(ErrorScale::kRelative, 3);
  Add(record, Day(0), {100, 110, 120}, {90.123456789, 111, kUnknown});
  Add(record, Day(1), {100, 110, 120}, {kUnknown, kUnknown, kUnknown});
  const auto json = io::Json::Parse(record.Save().Dump(), "record.json");
  ASSERT_TRUE(json);
  auto loaded = ErrorRecord::Load(*json);
  ASSERT_TRUE(loaded) << loaded.error().Line();
  EXPECT_EQ(loaded->scale(), ErrorScale::kRelative);
  ASSERT_EQ(loaded->rows().size(), 2U);
  EXPECT_EQ(loaded->Save().Dump(), record.Save().Dump());
  EXPECT_EQ(loaded->AtLead(0), record.AtLead(0));
  for (int day = 2; day < 9; ++day) Add(*loaded, Day(day), {1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(loaded->rows().size(), 3U) << "the capacity came back too";
}

TEST(ErrorRecordTest, RefusesWhatIsNoRecordInOneLine) {
  for (const auto* text :
       {"{}", R"({"scale":"odd","capacity":3,"rows":[]})", R"({"scale":"absolute","capacity":0,"rows":[]})",
        R"({"scale":"absolute","capacity":3,"rows":[{"origin":"soon","errors":[]}]})",
        R"({"scale":"absolute","capacity":3,"rows":[{"origin":"2021-01-01","errors":["x"]}]})"}) {
    const auto loaded = ErrorRecord::Load(*io::Json::Parse(text, "record.json"));
    ASSERT_FALSE(loaded) << text;
    EXPECT_THAT(loaded.error().Line(), HasSubstr("record.json")) << text;
  }
}

TEST(QuantileTest, TheNextOfExchangeableValuesFallsBelowItJustThatOften) {
  RandomStream random(4);
  for (const double share : {0.05, 0.25, 0.5, 0.9}) {
    int below = 0;
    constexpr int kTries = 6000;
    for (int i = 0; i < kTries; ++i) {
      std::vector<double> values(25);
      for (double& value : values) value = random.Normal();
      std::ranges::sort(values);
      if (random.Normal() < Quantile(values, share)) ++below;
    }
    EXPECT_NEAR(static_cast<double>(below) / kTries, share, 0.02) << share;
  }
}

TEST(ErrorPoolsTest, NeighboursLendErrorsOfTheSizeOfTheLead) {
  RandomStream random(6);
  ErrorRecord record(ErrorScale::kAbsolute, 400);
  for (int day = 0; day < 400; ++day) {
    Add(record, Day(day), {0, 0, 0}, {random.Normal(0, 1), random.Normal(0, 10), random.Normal(0, 100)});
  }
  const ErrorPools pools(record);
  std::vector<double> pool;
  for (std::size_t lead = 0; lead < 3; ++lead) {
    pools.At(lead, pool);
    EXPECT_GT(pool.size(), 400U);
    EXPECT_TRUE(std::ranges::is_sorted(pool));
    EXPECT_NEAR(Quantile(pool, 0.95), 1.645 * std::pow(10.0, static_cast<double>(lead)),
                0.25 * std::pow(10.0, static_cast<double>(lead)));
  }
}

}  // namespace
}  // namespace heliostat::forecast
