#include "heliostat/signals/synthetic/zone_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "heliostat/signals/synthetic/noise.h"
#include "heliostat/signals/synthetic/season_curve.h"
#include "heliostat/signals/synthetic/sun.h"

namespace heliostat::synthetic {
namespace {

constexpr std::int64_t kPerHour = ZoneModel::kSlotsPerHour;
// Inverters clip, and not all panels face the sun at the same time. The fit assumes the same.
constexpr double kBestHourOfAFleet = 0.85;

std::int64_t FloorDivide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// The hours whose middles enclose every slot of `slots`.
GridRange KnotsAround(GridRange slots) {
  const std::int64_t first = FloorDivide(slots.first, kPerHour) - 1;
  const std::int64_t last = FloorDivide(slots.first + static_cast<std::int64_t>(slots.count) - 1, kPerHour) + 1;
  return {first, static_cast<std::size_t>(last - first + 1)};
}

// Values at the middle of slots, by linear interpolation between values at the middle of hours.
std::vector<double> JoinKnots(const std::vector<double>& knots, GridRange hours, GridRange slots) {
  std::vector<double> values(slots.count);
  for (std::size_t i = 0; i < slots.count; ++i) {
    // In half slots from the middle of the first hour, to use integers.
    const std::int64_t halves =
        2 * (slots.first + static_cast<std::int64_t>(i) - hours.first * kPerHour) + 1 - kPerHour;
    const auto left = static_cast<std::size_t>(halves / (2 * kPerHour));
    const double share = static_cast<double>(halves % (2 * kPerHour)) / static_cast<double>(2 * kPerHour);
    values[i] = knots[left] + share * (knots[left + 1] - knots[left]);
  }
  return values;
}

void AddTo(std::vector<double>& sum, const std::vector<double>& more, double factor = 1) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * more[i];
}

// Means weighted by a triangle of the given half width; the result is shorter by that width at each end.
std::vector<double> Smooth(const std::vector<double>& values, int width) {
  if (width == 0) return values;
  std::vector<double> weights;
  for (int i = -width; i <= width; ++i) weights.push_back((width + 1.0 - std::abs(i)) / ((width + 1) * (width + 1)));
  std::vector<double> smoothed(values.size() - 2 * static_cast<std::size_t>(width), 0.0);
  for (std::size_t i = 0; i < smoothed.size(); ++i) {
    for (std::size_t j = 0; j < weights.size(); ++j) smoothed[i] += weights[j] * values[i + j];
  }
  return smoothed;
}

}  // namespace

ZoneModel::ZoneModel(const ZoneParameters& parameters, std::uint64_t seed)
    : parameters_(parameters), stream_(RandomStream(seed).Split(parameters.name)) {}

std::vector<double> ZoneModel::SeasonOver(const LatentParameters& latent, GridRange hours) const {
  return SeasonCurve(latent.season, parameters_.utc_offset_hours, parameters_.latitude < 0)
      .Over(hours.first, hours.count);
}

std::vector<double> ZoneModel::NoiseOver(std::string_view name, const LatentParameters& latent, GridRange hours) const {
  const RandomStream stream = stream_.Split(name);
  const int width = latent.smoothing_hours;
  const GridRange wider{hours.first - width, hours.count + 2 * static_cast<std::size_t>(width)};
  std::vector<double> sum(wider.count, 0.0);
  std::uint64_t next_stream = 0;
  for (const NoisePart& part : latent.noise) {
    const double deviation = std::sqrt(part.variance);
    const auto cosine_part = OrnsteinUhlenbeck(stream.Split(next_stream++), part.tau_hours, wider.first, wider.count);
    if (part.daily_harmonic == 0) {
      AddTo(sum, cosine_part, deviation);
      continue;
    }
    const auto sine_part = OrnsteinUhlenbeck(stream.Split(next_stream++), part.tau_hours, wider.first, wider.count);
    for (std::size_t i = 0; i < wider.count; ++i) {
      const auto hour = static_cast<double>((wider.first + static_cast<std::int64_t>(i)) % 24);
      const double angle = 2 * std::numbers::pi * part.daily_harmonic * (hour + 0.5) / 24;
      sum[i] += deviation * (cosine_part[i] * std::cos(angle) + sine_part[i] * std::sin(angle));
    }
  }
  return Smooth(sum, width);
}

std::vector<double> ZoneModel::FlickerOver(std::string_view name, const Flicker& flicker, GridRange slots) const {
  auto values = OrnsteinUhlenbeck(stream_.Split(name), flicker.tau_hours * kPerHour, slots.first, slots.count);
  for (double& value : values) value *= flicker.deviation;
  return values;
}

ZoneModel::Sunshine ZoneModel::SunshineOver(GridRange slots) const {
  const GridRange hours = KnotsAround(slots);
  const auto season = JoinKnots(SeasonOver(parameters_.cloud, hours), hours, slots);
  auto latent = JoinKnots(NoiseOver("cloud", parameters_.cloud, hours), hours, slots);
  AddTo(latent, season);
  AddTo(latent, FlickerOver("cloud flicker", SolarFlicker(), slots));

  Sunshine sunshine{std::vector<double>(slots.count, 0.0), std::vector<double>(slots.count, 0.0)};
  for (std::size_t i = 0; i < slots.count; ++i) {
    const double hour = (static_cast<double>(slots.first + static_cast<std::int64_t>(i)) + 0.5) / kPerHour;
    const double sine = SineOfElevation(hour, parameters_.latitude, parameters_.longitude);
    if (sine <= 0) continue;
    const double clear = parameters_.clear_sky_scale * std::pow(sine, parameters_.clear_sky_exponent);
    sunshine.power[i] = std::min(kBestHourOfAFleet, clear * parameters_.cloud.map(latent[i]));
    sunshine.surprise[i] = sunshine.power[i] - std::min(kBestHourOfAFleet, clear * parameters_.cloud.map(season[i]));
  }
  return sunshine;
}

std::vector<double> ZoneModel::WindNoiseOver(GridRange slots) const {
  const GridRange hours = KnotsAround(slots);
  auto noise = JoinKnots(NoiseOver("wind", parameters_.wind, hours), hours, slots);
  AddTo(noise, FlickerOver("wind flicker", WindFlicker(), slots));
  return noise;
}

std::vector<double> ZoneModel::CarbonSurpriseOver(GridRange slots) const {
  const GridRange hours = KnotsAround(slots);
  auto surprise = JoinKnots(NoiseOver("carbon", parameters_.carbon, hours), hours, slots);
  AddTo(surprise, SunshineOver(slots).surprise, parameters_.carbon_on_solar);
  AddTo(surprise, WindNoiseOver(slots), parameters_.carbon_on_wind);
  return surprise;
}

std::vector<double> ZoneModel::SolarCapacityFactor(GridRange slots) const { return SunshineOver(slots).power; }

std::vector<double> ZoneModel::WindCapacityFactor(GridRange slots) const {
  const GridRange hours = KnotsAround(slots);
  auto latent = JoinKnots(SeasonOver(parameters_.wind, hours), hours, slots);
  AddTo(latent, WindNoiseOver(slots), parameters_.wind_deviation);
  std::ranges::transform(latent, latent.begin(), parameters_.wind.map);
  return latent;
}

std::vector<double> ZoneModel::CarbonIntensity(GridRange slots) const {
  const GridRange hours = KnotsAround(slots);
  auto latent = JoinKnots(SeasonOver(parameters_.carbon, hours), hours, slots);
  AddTo(latent, CarbonSurpriseOver(slots));
  std::ranges::transform(latent, latent.begin(), parameters_.carbon.map);
  return latent;
}

std::vector<double> ZoneModel::PricePerKwh(GridRange hours) const {
  auto latent = SeasonOver(parameters_.price, hours);
  AddTo(latent, NoiseOver("price", parameters_.price, hours));
  const auto by_slot = CarbonSurpriseOver({hours.first * kPerHour, hours.count * kPerHour});
  for (std::size_t i = 0; i < hours.count; ++i) {
    const auto begin = by_slot.begin() + static_cast<std::ptrdiff_t>(i * kPerHour);
    latent[i] += parameters_.price_on_carbon * std::accumulate(begin, begin + kPerHour, 0.0) / kPerHour;
  }
  std::ranges::transform(latent, latent.begin(), parameters_.price.map);
  return latent;
}

}  // namespace heliostat::synthetic
