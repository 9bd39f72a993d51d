#include "heliostat/forecasting/forecast/limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heliostat/forecasting/forecast/testing/simple_models.h"

namespace heliostat::forecast {
namespace {

using signal::Kind;
using testing::HistoryOf;

constexpr double kOpen = std::numeric_limits<double>::infinity();
constexpr Duration kHour = std::chrono::hours{1};

// Solar power over `days`: sunrise at `dawn` and sunset at 24 h - dawn on the first day; each day is longer by
// `growth_h` at both ends.
std::vector<double> Sun(std::size_t days, std::size_t slots, double dawn, double growth_h) {
  RandomStream random(3);
  std::vector<double> values;
  for (std::size_t day = 0; day < days; ++day) {
    const double clouds = random.Uniform(0.2, 1.0);
    const double rise = dawn - growth_h * static_cast<double>(day);
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const double hour = 24.0 * (static_cast<double>(slot) + 0.5) / static_cast<double>(slots);
      const double height = std::sin(3.141592653589793 * (hour - rise) / (24 - 2 * rise));
      values.push_back(hour > rise && hour < 24 - rise ? 1000 * clouds * height : 0.0);
    }
  }
  return values;
}

std::size_t Forced(const ValueLimits& limits) {
  return static_cast<std::size_t>(std::ranges::count(limits.highest, 0.0));
}

TEST(LimitsTest, OnlyPricesAndUnknownThingsMayBeNegative) {
  for (const Kind kind : {Kind::kCarbonIntensity, Kind::kPower, Kind::kCapacityFactor, Kind::kShare}) {
    EXPECT_EQ(LimitsOf(HistoryOf({0.5, 0.6}, kHour, kind), 3).lowest, std::vector<double>(3, 0.0));
  }
  for (const Kind kind : {Kind::kPrice, Kind::kOther}) {
    EXPECT_EQ(LimitsOf(HistoryOf({0.5, 0.6}, kHour, kind), 3).lowest, std::vector<double>(3, -kOpen));
  }
}

TEST(LimitsTest, ASharesHighestIsTheWholeUnlessItWasMoreBefore) {
  EXPECT_EQ(LimitsOf(HistoryOf({0.5, 1.0}, kHour, Kind::kCapacityFactor), 1).highest[0], 1);
  EXPECT_EQ(LimitsOf(HistoryOf({0.5, 1.1}, kHour, Kind::kCapacityFactor), 1).highest[0], kOpen);
  EXPECT_EQ(LimitsOf(HistoryOf({5, 60}, kHour, Kind::kShare), 1).highest[0], 100);
  EXPECT_EQ(LimitsOf(HistoryOf({5, 60}, kHour, Kind::kPower), 1).highest[0], kOpen);
}

TEST(LimitsTest, TheSunDoesNotShineAtNight) {
  const auto limits = LimitsOf(HistoryOf(Sun(20, 24, 6, 0), kHour, Kind::kPower), 48);
  for (std::size_t lead = 0; lead < 48; ++lead) {
    const std::size_t hour = lead % 24;
    const bool is_night = hour < 5 || hour > 18;  // an hour of margin at each end
    EXPECT_EQ(limits.highest[lead], is_night ? 0.0 : kOpen) << hour;
  }
}

TEST(LimitsTest, NightsOfGrowingDaysNeverCutAWeekOfDawns) {
  for (const std::size_t slots : {24U, 48U, 96U, 288U}) {
    const auto whole = Sun(40, slots, 8, 2.5 / 60);
    const std::vector<double> past(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(33 * slots));
    const Duration step = Duration{std::chrono::days{1}} / static_cast<std::int64_t>(slots);
    const auto limits = LimitsOf(HistoryOf(past, step, Kind::kPower), 7 * slots);
    EXPECT_GT(Forced(limits), 7 * slots / 4);
    for (std::size_t lead = 0; lead < 7 * slots; ++lead) {
      EXPECT_LE(whole[past.size() + lead], limits.highest[lead]) << "slots " << slots << " lead " << lead;
    }
  }
}

TEST(LimitsTest, SparseGapsDoNotHideTheNight) {
  auto values = Sun(20, 24, 6, 0);
  for (std::size_t i = 0; i < values.size(); i += 7) values[i] = signal::Missing();
  EXPECT_GT(Forced(LimitsOf(HistoryOf(values, kHour, Kind::kPower), 24)), 6U);
}

TEST(LimitsTest, WindCalmAndConstantZeroHaveNoNight) {
  RandomStream random(5);
  std::vector<double> wind;
  for (int i = 0; i < 24 * 30; ++i) wind.push_back(std::max(0.0, random.Normal(0, 100)));
  EXPECT_EQ(Forced(LimitsOf(HistoryOf(wind, kHour, Kind::kPower), 24)), 0U);

  EXPECT_EQ(Forced(LimitsOf(HistoryOf(std::vector<double>(24 * 30, 0.0), kHour, Kind::kPower), 24)), 0U);

  std::vector<double> calm = wind;
  std::fill(calm.end() - 24 * 12, calm.end(), 0.0);
  std::fill(calm.end() - 24 * 5 - 6, calm.end() - 24 * 5, 50.0);  // wind once in twelve days
  EXPECT_EQ(Forced(LimitsOf(HistoryOf(calm, kHour, Kind::kPower), 24)), 0U);
}

TEST(LimitsTest, AFreePriceAtNightIsNoNight) {
  EXPECT_EQ(Forced(LimitsOf(HistoryOf(Sun(20, 24, 6, 0), kHour, Kind::kPrice), 24)), 0U);
}

TEST(LimitsTest, TwoDaysDoNotTell) {
  EXPECT_EQ(Forced(LimitsOf(HistoryOf(Sun(2, 24, 6, 0), kHour, Kind::kPower), 24)), 0U);
}

TEST(LimitsTest, ClampMovesOnlyWhatIsOutside) {
  std::vector<double> values{-1, 0.5, 7};
  Clamp(values, {{0, 0, 0}, {1, 1, 1}});
  EXPECT_EQ(values, (std::vector<double>{0, 0.5, 1}));
}

}  // namespace
}  // namespace heliostat::forecast
