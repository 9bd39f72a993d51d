#include "heliostat/signals/synthetic/zone_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heliostat/signals/synthetic/generate.h"
#include "heliostat/signals/synthetic/sun.h"
#include "heliostat/signals/synthetic/testing/statistics.h"

namespace heliostat::synthetic {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::year;

constexpr std::uint64_t kSeed = 11;
constexpr GridRange kFortnight{12 * 24 * 9000, 12 * 24 * 14};

std::vector<double> Values(std::string_view zone, TraceKind trace, Interval interval, Duration step) {
  return Generate({.zone = zone, .trace = trace, .interval = interval, .step = step, .seed = kSeed})->series.values();
}

TEST(ZoneModelTest, AValueIsAFunctionOfItsIndexAloneAlsoBefore2000) {
  const ZoneModel model(AllZoneParameters()[1], kSeed);
  constexpr std::int64_t kFirst = -400;
  const auto carbon = model.CarbonIntensity({kFirst, 800});
  const auto sun = model.SolarCapacityFactor({kFirst, 800});
  const auto wind = model.WindCapacityFactor({kFirst, 800});
  const auto price = model.PricePerKwh({-40, 80});
  for (const std::int64_t at : {-400, -145, -12, -1, 0, 11, 12, 399}) {
    const auto i = static_cast<std::size_t>(at - kFirst);
    EXPECT_EQ(model.CarbonIntensity({at, 1})[0], carbon[i]) << at;
    EXPECT_EQ(model.SolarCapacityFactor({at, 1})[0], sun[i]) << at;
    EXPECT_EQ(model.WindCapacityFactor({at, 1})[0], wind[i]) << at;
  }
  for (const std::int64_t at : {-40, -1, 0, 39}) {
    EXPECT_EQ(model.PricePerKwh({at, 1})[0], price[static_cast<std::size_t>(at + 40)]) << at;
  }
}

TEST(ZoneModelTest, NothingComesOutThatNoFittedHourHasShown) {
  for (const ZoneParameters& zone : AllZoneParameters()) {
    const ZoneModel model(zone, kSeed);
    const auto within = [&](const std::vector<double>& values, const QuantileMap& map) {
      const auto [low, high] = std::ranges::minmax(values);
      EXPECT_GE(low, map.lowest()) << zone.name;
      EXPECT_LE(high, map.highest()) << zone.name;
    };
    within(model.CarbonIntensity(kFortnight), zone.carbon.map);
    within(model.WindCapacityFactor(kFortnight), zone.wind.map);
    within(model.PricePerKwh({9000 * 24, 14 * 24}), zone.price.map);
  }
}

TEST(ZoneModelTest, TheSunNeverGivesMoreThanAClearSky) {
  for (const ZoneParameters& zone : AllZoneParameters()) {
    const auto power = ZoneModel(zone, kSeed).SolarCapacityFactor(kFortnight);
    for (std::size_t i = 0; i < power.size(); ++i) {
      const double hour = (static_cast<double>(kFortnight.first) + static_cast<double>(i) + 0.5) / 12;
      const double sine = std::max(0.0, SineOfElevation(hour, zone.latitude, zone.longitude));
      const double clear = zone.clear_sky_scale * std::pow(sine, zone.clear_sky_exponent) * zone.cloud.map.highest();
      ASSERT_LE(power[i], clear + 1e-12) << zone.name << " " << i;
      ASSERT_GE(power[i], 0.0) << zone.name << " " << i;
    }
  }
}

TEST(ZoneModelTest, ZonesWithTheSameWindParametersHaveWindsOfTheirOwn) {
  const auto winds = AllZoneParameters();
  std::vector<std::vector<double>> values;
  values.reserve(winds.size());
  for (const ZoneParameters& zone : winds) values.push_back(ZoneModel(zone, kSeed).WindCapacityFactor(kFortnight));
  for (std::size_t a = 0; a < values.size(); ++a) {
    for (std::size_t b = a + 1; b < values.size(); ++b) {
      EXPECT_NE(values[a], values[b]) << winds[a].name << " " << winds[b].name;
    }
  }
}

// Knots are at rising quantiles of the hours that a zone was fitted to, the middle ones at about half of them.
TEST(ZoneModelTest, HalfOfTheHoursLieAboutTheMiddleOfTheFittedOnes) {
  const Interval years{sys_days{year{2020} / 1 / 1}, sys_days{year{2023} / 1 / 1}};
  for (const ZoneParameters& zone : AllZoneParameters()) {
    for (const TraceKind trace : {TraceKind::kCarbon, TraceKind::kPrice}) {
      // Separate single hours, so that all times of the day and the year occur.
      const ZoneModel model(zone, kSeed);
      std::vector<double> values;
      const auto first = static_cast<std::int64_t>(HoursSince2000(years.begin));
      const auto last = static_cast<std::int64_t>(HoursSince2000(years.end));
      for (std::int64_t hour = first; hour < last; hour += 145) {
        values.push_back(trace == TraceKind::kPrice ? model.PricePerKwh({hour, 1})[0]
                                                    : model.CarbonIntensity({hour * 12, 1})[0]);
      }
      const double median = Percentile(values, 0.5);
      const QuantileMap& map = trace == TraceKind::kPrice ? zone.price.map : zone.carbon.map;
      EXPECT_GE(median, map.x[8]) << zone.name;
      EXPECT_LE(median, map.x[15]) << zone.name;
    }
  }
}

TEST(GenerateTest, SamplesRepeatWithinASlotAndPricesWithinAnHour) {
  const Interval hours{sys_days{year{2024} / 6 / 1}, sys_days{year{2024} / 6 / 1} + 6h};
  const auto carbon = Values("coal", TraceKind::kCarbon, hours, 1min);
  const auto price = Values("coal", TraceKind::kPrice, hours, 5min);
  for (std::size_t i = 0; i < carbon.size(); ++i) EXPECT_EQ(carbon[i], carbon[i / 5 * 5]) << i;
  for (std::size_t i = 0; i < price.size(); ++i) EXPECT_EQ(price[i], price[i / 12 * 12]) << i;
  EXPECT_NE(carbon[0], carbon[5]);
  EXPECT_NE(price[0], price[12]);
}

TEST(GenerateTest, ADayInFiveMinutesAveragesToItsHours) {
  const Interval day{sys_days{year{2024} / 3 / 31}, sys_days{year{2024} / 4 / 1}};
  for (const ZoneFacts& zone : Zones()) {
    for (const TraceKind trace : {TraceKind::kCarbon, TraceKind::kSolar, TraceKind::kWind, TraceKind::kPrice}) {
      const auto fine = Values(zone.name, trace, day, 5min);
      const auto hourly = Values(zone.name, trace, day, 1h);
      ASSERT_EQ(fine.size(), 12 * hourly.size());
      for (std::size_t hour = 0; hour < hourly.size(); ++hour) {
        const auto begin = fine.begin() + static_cast<std::ptrdiff_t>(12 * hour);
        EXPECT_NEAR(std::accumulate(begin, begin + 12, 0.0) / 12, hourly[hour], 1e-9) << zone.name << " " << hour;
      }
    }
  }
}

TEST(GenerateTest, ReachesTheFirstAndTheLastDayThatItMay) {
  for (const Instant day : {Instant{sys_days{year{1900} / 1 / 1}}, Instant{sys_days{year{2299} / 12 / 31}}}) {
    const auto made = Generate({.zone = "island", .interval = {day, day + 24h}});
    ASSERT_TRUE(made) << made.error().Line();
    EXPECT_EQ(made->series.missing(), 0U);
    EXPECT_EQ(made->series.span(), (Interval{day, day + 24h}));
  }
  const Instant before = sys_days{year{1899} / 12 / 31};
  EXPECT_FALSE(Generate({.zone = "island", .interval = {before, before + 48h}}));
}

TEST(GenerateTest, NoCapacityGivesNoPower) {
  const Interval day{sys_days{year{2024} / 6 / 1}, sys_days{year{2024} / 6 / 2}};
  const auto none = Generate({.zone = "coal", .trace = TraceKind::kSolar, .interval = day, .capacity = Watts{0}});
  ASSERT_TRUE(none);
  EXPECT_EQ(none->name, "solar_kw");
  for (const double value : none->series.values()) EXPECT_EQ(value, 0.0);
}

TEST(GenerateTest, SummerIsBrighterThanWinterOnBothHalvesOfTheWorld) {
  for (const ZoneFacts& zone : Zones()) {
    const auto sunshine = [&](int month) {
      const Instant begin = sys_days{year{2024} / month / 1};
      return MeanOf(Values(zone.name, TraceKind::kSolar, {begin, begin + 24h * 28}, 6h));
    };
    if (zone.latitude >= 0) {
      EXPECT_GT(sunshine(6), sunshine(12)) << zone.name;
    } else {
      EXPECT_GT(sunshine(12), sunshine(6)) << zone.name;
    }
  }
}

TEST(SunLaw, AnHourLaterIsFifteenDegreesFurtherEast) {
  for (double hour = 1.0; hour < 9000; hour += 61.7) {
    for (const double latitude : {-60.0, -10.0, 0.0, 35.0, 70.0}) {
      const double east = SineOfElevation(hour, latitude, 15.0 - 7.5);
      // The declination changes by a hundredth of a degree per hour.
      EXPECT_NEAR(east, SineOfElevation(hour + 1, latitude, -7.5), 1e-3) << hour << " " << latitude;
      EXPECT_LE(std::abs(east), 1.0);
      EXPECT_NEAR(SineOfElevation(hour, latitude, 180.0), SineOfElevation(hour, latitude, -180.0), 1e-12);
    }
  }
}

TEST(SunLaw, DayAndNightShareAYearEquallyEverywhere) {
  for (const double latitude : {-45.0, 0.0, 30.0, 52.0}) {
    int days = 0;
    int nights = 0;
    for (double hour = 0; hour < 8766; hour += 0.7) {
      (SineOfElevation(hour, latitude, 20.0) > 0 ? days : nights) += 1;
    }
    EXPECT_NEAR(static_cast<double>(days) / (days + nights), 0.5, 0.01) << latitude;
  }
}

}  // namespace
}  // namespace heliostat::synthetic
