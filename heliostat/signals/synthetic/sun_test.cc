#include "heliostat/signals/synthetic/sun.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace heliostat::synthetic {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::year;

double ElevationDegrees(Instant t, double latitude, double longitude) {
  return std::asin(SineOfElevation(HoursSince2000(t), latitude, longitude)) * 180 / std::numbers::pi;
}

TEST(SunTest, StandsOverTheTropicAtTheSolsticeAndTheEquatorAtTheEquinox) {
  double highest_at_solstice = -90;
  double highest_at_equinox = -90;
  for (Duration d = 0s; d < 24h; d += 1min) {
    highest_at_solstice = std::max(highest_at_solstice, ElevationDegrees(sys_days{year{2024} / 6 / 20} + d, 23.44, 0));
    highest_at_equinox = std::max(highest_at_equinox, ElevationDegrees(sys_days{year{2024} / 3 / 20} + d, 0, 0));
  }
  EXPECT_GT(highest_at_solstice, 89.5);
  EXPECT_GT(highest_at_equinox, 89.5);
}

TEST(SunTest, NoonIsLateInFebruaryAndEarlyInNovember) {
  // The equation of time: -14 min in mid February, +16 min at the start of November.
  const auto noon = [](Instant midnight) {
    Duration best = 0s;
    for (Duration d = 11h; d < 13h; d += 10s) {
      if (ElevationDegrees(midnight + d, 40, 0) > ElevationDegrees(midnight + best, 40, 0)) best = d;
    }
    return best;
  };
  EXPECT_NEAR(static_cast<double>((noon(sys_days{year{2023} / 2 / 11}) - 12h).count()), 14.2 * 60, 45);
  EXPECT_NEAR(static_cast<double>((noon(sys_days{year{2023} / 11 / 3}) - 12h).count()), -16.4 * 60, 45);
}

TEST(SunTest, RisesInTheEastFirst) {
  const Instant morning = sys_days{year{2023} / 3 / 21} + 7h;
  EXPECT_GT(ElevationDegrees(morning, 50, 15), ElevationDegrees(morning, 50, 0));
}

TEST(SunTest, DoesNotRiseAtThePoleInWinter) {
  for (Duration d = 0s; d < 24h; d += 1h) EXPECT_LT(ElevationDegrees(sys_days{year{2023} / 12 / 21} + d, 80, 20), 0);
}

}  // namespace
}  // namespace heliostat::synthetic
