#include "heliostat/signals/synthetic/season_curve.h"

#include <gtest/gtest.h>

#include <numeric>

namespace heliostat::synthetic {
namespace {

using Coefficients = std::array<double, kSeasonTerms>;

constexpr std::int64_t kHoursOfAYear = 8766;

Coefficients Only(std::size_t term, double value = 1) {
  Coefficients coefficients{};
  coefficients[term] = value;
  return coefficients;
}

// Non-zero values in all terms.
Coefficients Mixed() {
  Coefficients coefficients{};
  for (std::size_t i = 0; i < coefficients.size(); ++i) coefficients[i] = 1.0 / static_cast<double>(i + 2);
  return coefficients;
}

TEST(SeasonTest, AConstantIsTheSameAtAllTimes) {
  const Coefficients coefficients = Only(0, 0.7);
  for (const double value : SeasonCurve(coefficients, 0, false).Over(-50, 400)) EXPECT_DOUBLE_EQ(value, 0.7);
}

TEST(SeasonTest, DailyTermsRepeatEveryDayAndCancelOverIt) {
  for (std::size_t term = 1; term < kDailyTerms; ++term) {
    const Coefficients coefficients = Only(term);
    const auto values = SeasonCurve(coefficients, 0, false).Over(0, 48);
    for (std::size_t hour = 0; hour < 24; ++hour) EXPECT_NEAR(values[hour], values[hour + 24], 1e-9) << term;
    EXPECT_NEAR(std::accumulate(values.begin(), values.begin() + 24, 0.0), 0.0, 1e-9) << term;
    EXPECT_NE(values[0], values[5]) << term;
  }
}

TEST(SeasonTest, TheYearTurnsAndItsHalvesAreSwappedInTheSouth) {
  const Coefficients coefficients = Only(kDailyTerms);  // the cosine of the year
  const auto north = SeasonCurve(coefficients, 0, false).Over(0, kHoursOfAYear);
  const auto south = SeasonCurve(coefficients, 0, true).Over(0, kHoursOfAYear);
  EXPECT_NEAR(north.front(), 1.0, 1e-3);
  EXPECT_NEAR(north[kHoursOfAYear / 2], -1.0, 1e-3);
  for (std::size_t i = 0; i < north.size(); i += 97) EXPECT_NEAR(south[i], -north[i], 1e-9);
}

TEST(SeasonTest, WeekendsAreSaturdayAndSundayOfTheLocalClock) {
  const Coefficients coefficients = Only(kSeasonTerms - kWeekendTerms);
  // 2000-01-01 was a Saturday.
  const auto utc = SeasonCurve(coefficients, 0, false).Over(0, 24 * 14);
  for (std::size_t hour = 0; hour < utc.size(); ++hour) EXPECT_EQ(utc[hour], hour / 24 % 7 < 2 ? 1.0 : 0.0) << hour;
  const auto east = SeasonCurve(coefficients, 9, false).Over(-9, 2);
  EXPECT_EQ(east[0], 1.0) << "midnight in the east comes nine hours earlier";
  EXPECT_EQ(SeasonCurve(coefficients, 9, false).Over(-10, 1)[0], 0.0);
  EXPECT_EQ(SeasonCurve(coefficients, -6, false).Over(5, 1)[0], 0.0);
  EXPECT_EQ(SeasonCurve(coefficients, -6, false).Over(6, 1)[0], 1.0);
}

TEST(SeasonTest, AnOffsetIsTheSameSeasonAtAnotherTime) {
  const Coefficients coefficients = Mixed();
  for (const int offset : {-8, -1, 1, 10}) {
    const auto shifted = SeasonCurve(coefficients, offset, false).Over(100, 300);
    const auto plain = SeasonCurve(coefficients, 0, false).Over(100 + offset, 300);
    EXPECT_EQ(shifted, plain) << offset;
  }
}

TEST(SeasonTest, AnyCutGivesTheSameValuesAlsoBefore2000) {
  const Coefficients coefficients = Mixed();
  const SeasonCurve season(coefficients, 2, true);
  const auto whole = season.Over(-500, 1000);
  for (const std::int64_t first : {-500, -169, -25, -24, -1, 0, 1, 23, 400}) {
    const auto part = season.Over(first, 50);
    for (std::size_t i = 0; i < part.size(); ++i) {
      EXPECT_EQ(part[i], whole[static_cast<std::size_t>(first + 500) + i]) << first;
    }
  }
}

}  // namespace
}  // namespace heliostat::synthetic
