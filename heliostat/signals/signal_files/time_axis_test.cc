#include "heliostat/signals/signal_files/time_axis.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "heliostat/signals/signal/step_series.h"

namespace heliostat::signal_files {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Instant kStart = *ParseInstant("2023-06-01T00:00:00Z", "start");

// The axis of rows at these hours, on lines 2, 3, …
TimeAxis AxisOf(const std::vector<int>& hours) {
  TimeAxis axis("x.csv");
  std::int64_t line = 2;
  for (const int hour : hours) {
    if (!axis.Add(kStart + std::chrono::hours{hour}, line++)) break;
  }
  return axis;
}

std::string ErrorOf(const std::vector<int>& hours) {
  TimeAxis axis = AxisOf(hours);
  const Status status = axis.Finish();
  return status ? "no error" : status.error().Line();
}

// Rows of an even series with a few omitted come back at their places, and only the omitted ones are missing.
RC_GTEST_PROP(TimeAxisLaws, RowsStandWhereTheirTimesSay, ()) {
  const int slots = *rc::gen::inRange(20, 200);
  std::set<int> left_out;
  for (int i = *rc::gen::inRange(0, 1 + slots / 20); i > 0; --i) left_out.insert(*rc::gen::inRange(1, slots - 1));
  std::vector<int> hours;
  std::vector<double> cells;
  for (int i = 0; i < slots; ++i) {
    if (left_out.count(i) > 0) continue;
    hours.push_back(i);
    cells.push_back(100 + i);
  }
  TimeAxis axis = AxisOf(hours);
  const auto status = axis.Finish();
  RC_ASSERT(status.has_value());
  RC_ASSERT(axis.step() == 1h);
  RC_ASSERT(axis.start() == kStart);
  RC_ASSERT(axis.last() == kStart + std::chrono::hours{slots - 1});
  RC_ASSERT(axis.slots() == static_cast<std::size_t>(slots));
  RC_ASSERT(axis.rows() == cells.size());
  const std::vector<double> spread = axis.Spread(cells);
  RC_ASSERT(spread.size() == static_cast<std::size_t>(slots));
  for (int i = 0; i < slots; ++i) {
    const double value = spread[static_cast<std::size_t>(i)];
    RC_ASSERT(signal::IsMissing(value) == (left_out.count(i) > 0));
    RC_ASSERT(signal::IsMissing(value) || value == 100 + i);
  }
}

// At any position: at the begin, inside an even run, and directly after a gap.
RC_GTEST_PROP(TimeAxisLaws, ATimeThatStandsTwiceIsRefusedAtItsLine, ()) {
  std::vector<int> hours;
  int hour = 0;
  for (int i = 0; i < 30; ++i) {
    hours.push_back(hour);
    hour += *rc::gen::weightedElement<int>({{10, 1}, {1, 2}, {1, 5}});
  }
  const auto twice = *rc::gen::inRange<std::size_t>(0, hours.size());
  hours.insert(hours.begin() + static_cast<std::ptrdiff_t>(twice), hours[twice]);
  RC_ASSERT(ErrorOf(hours) == fmt::format("x.csv:{}: time {} is repeated; times must increase", twice + 3,
                                          FormatInstant(kStart + std::chrono::hours{hours[twice]})));
}

TEST(TimeAxisTest, ATimeThatStandsTwiceBehindAGapIsRefused) {
  EXPECT_THAT(ErrorOf({0, 1, 2, 5, 5, 6, 7}), StartsWith("x.csv:6: time 2023-06-01T05:00:00Z is repeated"));
}

RC_GTEST_PROP(TimeAxisLaws, ATimeThatGoesBackIsRefusedAtItsLine, ()) {
  std::vector<int> hours;
  for (int i = 0; i < 20; ++i) hours.push_back(i * 2);
  const auto at = *rc::gen::inRange<std::size_t>(1, hours.size());
  hours[at] = hours[at - 1] - *rc::gen::inRange(1, 100);
  RC_ASSERT(ErrorOf(hours).starts_with(fmt::format("x.csv:{}: time decreases from ", at + 2)));
}

TEST(TimeAxisTest, WhatWasRefusedOnceStaysRefused) {
  TimeAxis axis = AxisOf({0, 1, 2, 1});
  EXPECT_FALSE(axis.status());
  EXPECT_EQ(axis.Finish().error().Line(), axis.status().error().Line());
}

TEST(TimeAxisTest, ASingleRowNeedsAStepFromElsewhere) {
  EXPECT_THAT(ErrorOf({0}), HasSubstr("has a single row"));
  TimeAxis axis = AxisOf({0});
  ASSERT_TRUE(axis.Finish(30min));
  EXPECT_EQ(axis.step(), 30min);
  EXPECT_EQ(axis.slots(), 1U);
  TimeAxis nothing("x.csv");
  EXPECT_TRUE(nothing.empty());
  EXPECT_THAT(nothing.Finish(30min).error().Line(), HasSubstr("no rows"));
}

TEST(TimeAxisTest, AStepThatIsNoMultipleOfTheUsualOneIsRefusedWhereItIsFirstSeen) {
  EXPECT_EQ(ErrorOf({0, 2, 4, 6, 7, 9, 11}),
            "x.csv:6: steps of 2 h and 1 h are mixed; one even step; rows may be omitted, not added");
}

TEST(TimeAxisTest, ManyHolesAreASecondStep) {
  std::vector<int> hours{0};
  for (int i = 0; i < 60; ++i) hours.push_back(hours.back() + 1);
  for (int i = 0; i < 6; ++i) hours.push_back(hours.back() + 3);
  EXPECT_EQ(ErrorOf(hours), "no error");
  for (int i = 0; i < 6; ++i) hours.push_back(hours.back() + 3);
  EXPECT_THAT(ErrorOf(hours), StartsWith("x.csv:63: steps of 1 h and 3 h are mixed"));
}

TEST(TimeAxisTest, FarTimesAreRefusedAtBothEnds) {
  const auto far = [](const char* first, const char* last) {
    return RefuseFarTimes("x.csv", *ParseInstant(first, ""), *ParseInstant(last, "")).has_value();
  };
  EXPECT_TRUE(far("1900-01-01", "2299-12-31T23:59:59Z"));
  EXPECT_FALSE(far("1899-12-31T23:59:59Z", "2000-01-01"));
  EXPECT_FALSE(far("2000-01-01", "2300-01-01"));
}

}  // namespace
}  // namespace heliostat::signal_files
