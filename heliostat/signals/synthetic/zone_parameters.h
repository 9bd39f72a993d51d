#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "heliostat/signals/synthetic/quantile_map.h"

namespace heliostat::synthetic {

// The parameters in docs/models/synthetic_zones.md, fitted by tools/fit_synthetic_zones.py. Internal to this layer;
// users see ZoneFacts.

inline constexpr std::size_t kDailyTerms = 11;   // 1, then cosine and sine of 5 harmonics of the day
inline constexpr std::size_t kAnnualTerms = 5;   // 1, then 2 harmonics of the year
inline constexpr std::size_t kWeekendTerms = 5;  // the first daily terms again, at weekends only
inline constexpr std::size_t kSeasonTerms = kAnnualTerms * kDailyTerms + kWeekendTerms;

// One Ornstein-Uhlenbeck process. With a harmonic above 0 it modulates a wave of that many periods per day, for weather
// that recurs at the same hour.
struct NoisePart {
  double variance;
  double tau_hours;
  int daily_harmonic;
};

// One latent process: value = map(season(t) + noise(t) + coupling to the other processes).
struct LatentParameters {
  std::array<double, kSeasonTerms> season;
  std::span<const NoisePart> noise;
  int smoothing_hours;  // half width of the triangle that smooths the sum of the parts
  QuantileMap map;
};

// Variation within the hour, in deviations of the latent.
struct Flicker {
  double deviation;
  double tau_hours;
};

// All parameters of one zone.
struct ZoneParameters {
  std::string_view name;
  std::string_view description;
  std::string_view stands_for;
  std::string_view basis;
  std::array<char, 3> currency;
  double latitude;
  double longitude;
  int utc_offset_hours;  // of local standard time
  double clear_sky_exponent;
  double clear_sky_scale;
  double wind_deviation;
  double carbon_on_solar;
  double carbon_on_wind;
  double price_on_carbon;
  LatentParameters cloud;
  LatentParameters wind;
  LatentParameters carbon;
  LatentParameters price;
};

std::span<const ZoneParameters> AllZoneParameters();
Flicker SolarFlicker();
Flicker WindFlicker();

}  // namespace heliostat::synthetic
