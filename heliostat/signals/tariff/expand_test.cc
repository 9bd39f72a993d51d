#include "heliostat/signals/tariff/expand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "heliostat/signals/tariff/read.h"
#include "heliostat/signals/tariff/testing/samples.h"

namespace heliostat::tariff {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Instant At(std::string_view text) { return *ParseInstant(text, "test"); }
Interval Span(std::string_view begin, std::string_view end) { return {At(begin), At(end)}; }
Tariff Sample(const std::string& text, const std::string& file = "sample") { return *ReadTariff(text, file); }

TEST(ExpandTest, GivesALabelledPriceSeries) {
  const auto price = Expand(Sample(testing::kAcn), Span("2023-07-01", "2023-08-01"));
  ASSERT_TRUE(price) << price.error().Line();
  EXPECT_EQ(price->name, "price_per_kwh");
  EXPECT_EQ(price->meaning.kind, signal::Kind::kPrice);
  EXPECT_EQ(price->meaning.unit, signal::Unit::kPerKwh);
  EXPECT_EQ(price->meaning.nature, signal::Nature::kTariff);
  EXPECT_EQ(price->meaning.currency, Currency::Usd());
  EXPECT_EQ(price->meaning.time_base, "America/Los_Angeles");
  EXPECT_EQ(price->series.step(), 30min);  // a rate changes at 8:30
  EXPECT_EQ(price->series.missing(), 0U);
}

// Monday 3 July 2023 in Los Angeles begins at 07:00 UTC.
TEST(ExpandTest, FollowsTheLocalClock) {
  const auto price = Expand(Sample(testing::kAcn), Span("2023-07-03T00:00Z", "2023-07-05T00:00Z"));
  ASSERT_TRUE(price);
  EXPECT_EQ(*price->series.At(At("2023-07-03T06:30Z")), 0.1);  // still Sunday, 23:30
  EXPECT_EQ(*price->series.At(At("2023-07-03T15:00Z")), 0.1);  // 08:00
  EXPECT_EQ(*price->series.At(At("2023-07-03T15:30Z")), 0.4);  // 08:30
  EXPECT_EQ(*price->series.At(At("2023-07-04T02:30Z")), 0.4);  // 19:30
  EXPECT_EQ(*price->series.At(At("2023-07-04T03:00Z")), 0.2);  // 20:00
  EXPECT_EQ(*price->series.At(At("2023-07-04T07:00Z")), 0.1);  // Tuesday
}

// 2023 has 365 days: summer has 122, of which 87 are working days (0.1 for 8.5 h,
// 0.4 for 11.5 h, 0.2 for 4 h) and 35 are not; winter has 243 (0.3 for 5 h).
TEST(ExpandTest, TheMeanOfAYearIsWhatOneCountsByHand) {
  const double summer = 87 * (8.5 * 0.1 + 11.5 * 0.4 + 4 * 0.2) + 35 * 24 * 0.1;
  const double winter = 243 * (19 * 0.05 + 5 * 0.3);
  const auto price = Expand(Sample(testing::kAcn), Span("2023-01-01", "2024-01-01"), io::TimeZone::Utc());
  ASSERT_TRUE(price);
  EXPECT_NEAR(*price->series.Mean(price->series.span()), (summer + winter) / 8760, 1e-12);
}

// A different rate for each hour of the local day counts how often each hour occurs.
TEST(ExpandTest, DaysOnWhichClocksChangeHave23And25Hours) {
  Tariff tariff;
  tariff.time_zone = "Europe/Berlin";
  for (int hour = 0; hour < 24; ++hour) {
    tariff.rates.push_back({{SeasonOfMonths(1, 12), kEveryDay, std::chrono::hours{hour}, std::chrono::hours{hour + 1}},
                            {Tier{static_cast<double>(hour), std::nullopt, "kWh"}}});
  }
  const auto hours_of = [&](std::string_view begin, std::string_view end) {
    const auto price = Expand(tariff, Span(begin, end));
    std::map<double, int> count;
    for (const double value : price->series.values()) ++count[value];
    EXPECT_EQ(price->series.step(), 60min);
    return count;
  };
  auto spring = hours_of("2024-03-30T23:00Z", "2024-03-31T22:00Z");
  EXPECT_EQ(spring.size(), 23U);
  EXPECT_FALSE(spring.contains(2.0));  // 02:00 is skipped
  auto autumn = hours_of("2024-10-26T22:00Z", "2024-10-27T23:00Z");
  EXPECT_EQ(autumn.size(), 24U);
  EXPECT_EQ(autumn[2.0], 2);  // 02:00 occurs twice
  EXPECT_EQ(autumn[3.0], 1);
}

TEST(ExpandTest, AZoneOfHalfHoursNeedsAFinerStep) {
  const Tariff tariff = Sample(testing::Urdb());  // changes on whole hours
  const auto span = Span("2023-06-01", "2023-06-08");
  EXPECT_EQ(Expand(tariff, span)->series.step(), 60min);
  EXPECT_EQ(Expand(tariff, span, *io::TimeZone::Find("Asia/Kolkata"))->series.step(), 30min);
  EXPECT_EQ(Expand(tariff, span, *io::TimeZone::Find("Asia/Kathmandu"))->series.step(), 15min);
  // Lord Howe moves its clocks by half an hour: here on the only day of the span, after its begin.
  const auto autumn = Span("2024-04-06T00:00Z", "2024-04-06T20:00Z");
  EXPECT_EQ(Expand(tariff, autumn, *io::TimeZone::Find("Australia/Lord_Howe"))->series.step(), 30min);
}

TEST(ExpandTest, AnotherStepKeepsTheSum) {
  const Tariff tariff = Sample(testing::kAcn);
  const auto span = Span("2023-07-03", "2023-07-10");
  const double exact = *Expand(tariff, span)->series.Mean(span);
  for (const Duration step : {Duration{5min}, Duration{1h}, Duration{6h}, Duration{24h}}) {
    const auto price = Expand(tariff, span, std::nullopt, step);
    ASSERT_TRUE(price);
    EXPECT_EQ(price->series.step(), step);
    EXPECT_NEAR(*price->series.Mean(span), exact, 1e-12);
  }
  EXPECT_FALSE(Expand(tariff, span, std::nullopt, Duration{5h}));
  EXPECT_FALSE(Expand(tariff, span, std::nullopt, Duration{-1h}));
}

TEST(ExpandTest, SaysWhenTheZoneIsAssumed) {
  const Tariff tariff = Sample(testing::kCsv, "nobody.csv");
  const auto span = Span("2023-07-03", "2023-07-10");
  EXPECT_THAT(Expand(tariff, span)->meaning.notes, Contains(HasSubstr("read as UTC")));
  EXPECT_THAT(Expand(tariff, span, io::TimeZone::Utc())->meaning.notes, Not(Contains(HasSubstr("read as UTC"))));
}

TEST(ExpandTest, SaysWhenTheSpanIsOutsideTheTariffsDates) {
  const Tariff tariff = Sample(testing::Urdb());  // the year 2020
  EXPECT_THAT(Expand(tariff, Span("2023-07-03", "2023-07-10"))->meaning.notes,
              Contains(HasSubstr("after the tariff expires")));
  EXPECT_THAT(Expand(tariff, Span("2019-07-03", "2019-07-10"))->meaning.notes,
              Contains(HasSubstr("before the tariff takes effect")));
  EXPECT_THAT(Expand(tariff, Span("2020-07-03", "2020-07-10"))->meaning.notes, Not(Contains(HasSubstr("the tariff"))));
}

TEST(ExpandTest, RefusesSpansItCannotCover) {
  const Tariff tariff = Sample(testing::kAcn);
  EXPECT_FALSE(Expand(tariff, Span("2023-07-03", "2023-07-03")));
  EXPECT_FALSE(Expand(tariff, Span("2023-07-03", "2023-07-02")));
  EXPECT_FALSE(Expand(tariff, Span("2023-07-03T00:05Z", "2023-07-04")));
  EXPECT_FALSE(Expand(tariff, Span("1800-01-01", "2023-07-04")));
  // Before standard time, Los Angeles was 7 h 52 min 58 s behind.
  EXPECT_FALSE(Expand(tariff, Span("1850-01-01", "1850-02-01")));
}

}  // namespace
}  // namespace heliostat::tariff
