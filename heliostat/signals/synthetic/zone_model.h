#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/signals/synthetic/zone_parameters.h"

namespace heliostat::synthetic {

// A range of indices on a grid that begins at 2000-01-01T00:00Z.
struct GridRange {
  std::int64_t first;
  std::size_t count;
};

// One zone with one seed, on its own grid: slots of five minutes, and whole hours for prices, because markets set them
// per hour. Every value is a function of its index alone, so ranges may be requested in any order and of any length.
// docs/models/synthetic_zones.md has the equations. Thread-safe: all functions are const.
class ZoneModel {
 public:
  static constexpr std::int64_t kSlotSeconds = 300;
  static constexpr std::int64_t kSlotsPerHour = 12;

  // `parameters` must outlive the model.
  ZoneModel(const ZoneParameters& parameters, std::uint64_t seed);

  std::vector<double> SolarCapacityFactor(GridRange slots) const;
  std::vector<double> WindCapacityFactor(GridRange slots) const;
  std::vector<double> CarbonIntensity(GridRange slots) const;  // g/kWh
  std::vector<double> PricePerKwh(GridRange hours) const;      // in the currency of the zone

 private:
  struct Sunshine {
    std::vector<double> power;     // capacity factor
    std::vector<double> surprise;  // power minus the usual power at that time of the year and day
  };
  Sunshine SunshineOver(GridRange slots) const;
  std::vector<double> WindNoiseOver(GridRange slots) const;
  // The deviation of the carbon latent from its season.
  std::vector<double> CarbonSurpriseOver(GridRange slots) const;

  std::vector<double> SeasonOver(const LatentParameters& latent, GridRange hours) const;
  std::vector<double> NoiseOver(std::string_view name, const LatentParameters& latent, GridRange hours) const;
  std::vector<double> FlickerOver(std::string_view name, const Flicker& flicker, GridRange slots) const;

  const ZoneParameters& parameters_;
  RandomStream stream_;
};

}  // namespace heliostat::synthetic
