#include "heliostat/signals/synthetic/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "heliostat/signals/synthetic/sun.h"
#include "heliostat/signals/synthetic/testing/statistics.h"

namespace heliostat::synthetic {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::year;
using ::testing::HasSubstr;

constexpr Instant kStart = sys_days{year{2024} / 2 / 27};
constexpr std::array kTraces{TraceKind::kCarbon, TraceKind::kSolar, TraceKind::kWind, TraceKind::kPrice};

std::vector<double> Values(std::string_view zone, TraceKind trace, Interval interval, Duration step,
                           std::uint64_t seed = 1) {
  return Generate({.zone = zone, .trace = trace, .interval = interval, .step = step, .seed = seed})->series.values();
}

// Calls `law` for every zone and trace.
template <typename Law>
void ForAll(Law law) {
  for (const ZoneFacts& zone : Zones()) {
    for (const TraceKind trace : kTraces) {
      SCOPED_TRACE(std::string(zone.name) + " trace " + std::to_string(static_cast<int>(trace)));
      law(zone.name, trace);
    }
  }
}

TEST(SyntheticZonesTest, AllArchetypesAreThereAndSayWhatTheyStandFor) {
  std::vector<std::string_view> names;
  for (const ZoneFacts& zone : Zones()) {
    names.push_back(zone.name);
    EXPECT_FALSE(zone.description.empty()) << zone.name;
    EXPECT_FALSE(zone.basis.empty()) << zone.name;
    EXPECT_EQ(zone.stands_for.empty(), zone.name == "island") << zone.name;
  }
  EXPECT_THAT(names, ::testing::ElementsAre("solar-heavy", "wind-heavy", "coal", "hydro", "nuclear", "island",
                                            "duck-curve", "mixed-import", "thermal-mix"));
}

TEST(SyntheticZonesTest, TheSameSeedGivesTheSameValuesAndAnotherSeedOthers) {
  const Interval week{kStart, kStart + 24h * 7};
  ForAll([&](std::string_view zone, TraceKind trace) {
    EXPECT_EQ(Values(zone, trace, week, 1h), Values(zone, trace, week, 1h));
    EXPECT_NE(Values(zone, trace, week, 1h, 1), Values(zone, trace, week, 1h, 2));
  });
}

TEST(SyntheticZonesTest, AnyCutGivesTheSameValues) {
  const Interval whole{kStart, kStart + 24h * 70};
  ForAll([&](std::string_view zone, TraceKind trace) {
    const auto values = Values(zone, trace, whole, 30min);
    for (const Duration cut : {Duration{30min}, Duration{24h * 3 + 90min}, Duration{24h * 32}, Duration{24h * 69}}) {
      auto parts = Values(zone, trace, {kStart, kStart + cut}, 30min);
      const auto rest = Values(zone, trace, {kStart + cut, whole.end}, 30min);
      parts.insert(parts.end(), rest.begin(), rest.end());
      EXPECT_EQ(parts, values);
    }
  });
}

TEST(SyntheticZonesTest, MeansOfFineStepsAreTheCoarseSteps) {
  const Interval days{kStart + 7min, kStart + 7min + 24h * 4};
  ForAll([&](std::string_view zone, TraceKind trace) {
    const auto fine = Generate({.zone = zone, .trace = trace, .interval = days, .step = 1min});
    for (const Duration step : {Duration{5min}, Duration{12min}, Duration{1h}, Duration{6h}, Duration{24h}}) {
      const auto coarse = Generate({.zone = zone, .trace = trace, .interval = days, .step = step});
      for (std::size_t i = 0; i < coarse->series.size(); ++i) {
        const Instant t = coarse->series.TimeOf(i);
        EXPECT_NEAR(coarse->series.values()[i], *fine->series.Mean({t, t + step}), 1e-9);
      }
    }
  });
}

TEST(SyntheticZonesTest, NightIsDark) {
  const Interval year_long{kStart, kStart + 24h * 365};
  for (const ZoneFacts& zone : Zones()) {
    const auto sun = Generate({.zone = zone.name, .trace = TraceKind::kSolar, .interval = year_long, .step = 5min});
    double by_day = 0;
    for (std::size_t i = 0; i < sun->series.size(); ++i) {
      const double value = sun->series.values()[i];
      const double hours = HoursSince2000(sun->series.TimeOf(i)) + 1.0 / 24;
      const double sine = SineOfElevation(hours, zone.latitude, zone.longitude);
      if (sine <= 0) {
        ASSERT_EQ(value, 0) << zone.name << " " << FormatInstant(sun->series.TimeOf(i));
      } else if (sine > 0.3) {
        ASSERT_GT(value, 0) << zone.name << " " << FormatInstant(sun->series.TimeOf(i));
      }
      by_day = std::max(by_day, value);
    }
    EXPECT_GT(by_day, 0.5) << zone.name;
  }
}

TEST(SyntheticZonesTest, ValuesStayWithinPhysicalBounds) {
  const Interval year_long{sys_days{year{1999} / 7 / 1}, sys_days{year{2000} / 7 / 1}};
  ForAll([&](std::string_view zone, TraceKind trace) {
    const auto values = Values(zone, trace, year_long, 6h);
    const auto [low, high] = std::ranges::minmax(values);
    const bool is_plant = trace == TraceKind::kSolar || trace == TraceKind::kWind;
    EXPECT_GE(low, trace == TraceKind::kPrice ? -1.0 : 0.0);
    EXPECT_LE(high, is_plant ? 1 : 1000);
    EXPECT_LT(low, high);
  });
}

TEST(SyntheticZonesTest, WindAndSunMakeCarbonAndPriceFall) {
  const Interval two_years{kStart, kStart + 24h * 730};
  for (const std::string_view zone : {"wind-heavy", "mixed-import", "coal", "island"}) {
    const auto wind = Values(zone, TraceKind::kWind, two_years, 24h);
    EXPECT_LT(Correlation(wind, Values(zone, TraceKind::kCarbon, two_years, 24h)), -0.35) << zone;
    EXPECT_LT(Correlation(wind, Values(zone, TraceKind::kPrice, two_years, 24h)), -0.1) << zone;
  }
  for (const std::string_view zone : {"solar-heavy", "duck-curve"}) {
    const auto sun = Values(zone, TraceKind::kSolar, two_years, 1h);
    EXPECT_LT(Correlation(sun, Values(zone, TraceKind::kCarbon, two_years, 1h)), -0.6) << zone;
    EXPECT_LT(Correlation(sun, Values(zone, TraceKind::kPrice, two_years, 1h)), -0.1) << zone;
  }
}

TEST(SyntheticZonesTest, ACapacityTurnsFactorsIntoKilowatts) {
  const Interval day{kStart, kStart + 24h};
  const ZoneRequest request{.zone = "coal", .trace = TraceKind::kWind, .interval = day};
  ZoneRequest with_capacity = request;
  with_capacity.capacity = Kilowatts(2000);
  const auto factor = Generate(request);
  const auto power = Generate(with_capacity);
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_DOUBLE_EQ(power->series.values()[i], 2000 * factor->series.values()[i]);
  }
  EXPECT_EQ(power->meaning.kind, signal::Kind::kPower);
  EXPECT_EQ(signal::UnitText(power->meaning), "kW");
  EXPECT_EQ(factor->meaning.kind, signal::Kind::kCapacityFactor);
}

TEST(SyntheticZonesTest, MeaningIsComplete) {
  const Interval day{kStart, kStart + 24h};
  const auto carbon = Generate({.zone = "hydro", .trace = TraceKind::kCarbon, .interval = day});
  EXPECT_EQ(carbon->meaning.nature, signal::Nature::kSynthetic);
  EXPECT_EQ(carbon->meaning.basis, signal::Basis::kLifecycle);
  EXPECT_EQ(carbon->meaning.scope, signal::Scope::kAverage);
  EXPECT_EQ(carbon->meaning.zone, "hydro");
  EXPECT_EQ(signal::UnitText(carbon->meaning), "gCO2e/kWh");
  const auto price = Generate({.zone = "mixed-import", .trace = TraceKind::kPrice, .interval = day, .seed = 42});
  EXPECT_EQ(signal::UnitText(price->meaning), "EUR/kWh");
  EXPECT_THAT(price->meaning.notes.front(), HasSubstr("seed 42"));
  EXPECT_EQ(signal::MeaningOfCanonicalName(price->name).kind, signal::Kind::kPrice);
}

TEST(SyntheticZonesTest, BadRequestsAreRefusedWithTheReason) {
  const Interval day{kStart, kStart + 24h};
  const auto line = [](const ZoneRequest& request) {
    const auto made = Generate(request);
    return made ? std::string("no error") : made.error().Line();
  };
  EXPECT_THAT(line({.zone = "moon", .interval = day}), HasSubstr("'moon' is not built in; one of solar-heavy"));
  EXPECT_THAT(line({.zone = "coal", .interval = {kStart, kStart}}), HasSubstr("longer than zero"));
  EXPECT_THAT(line({.zone = "coal", .interval = day, .step = 30s}), HasSubstr("from 1 min to 1 d"));
  EXPECT_THAT(line({.zone = "coal", .interval = day, .step = 7h}), HasSubstr("whole number of steps"));
  EXPECT_THAT(line({.zone = "coal", .interval = {kStart, Instant::max()}}), HasSubstr("between 1900 and 2300"));
  EXPECT_THAT(line({.zone = "coal", .interval = day, .capacity = Watts{1}}), HasSubstr("only sun and wind"));
  const Watts unknown{std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THAT(line({.zone = "coal", .trace = TraceKind::kWind, .interval = day, .capacity = unknown}),
              HasSubstr("must be from 0"));
}

}  // namespace
}  // namespace heliostat::synthetic
