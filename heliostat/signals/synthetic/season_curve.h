#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "heliostat/signals/synthetic/zone_parameters.h"

namespace heliostat::synthetic {

// The part of a latent that depends on the calendar: harmonics of the day, of the year and of their product, and a
// change of the shape of the day at weekends, all in local standard time. South of the equator the year is shifted by
// half a year. `coefficients` must outlive it. Immutable.
class SeasonCurve {
 public:
  SeasonCurve(const std::array<double, kSeasonTerms>& coefficients, int utc_offset_hours, bool south)
      : coefficients_(coefficients), utc_offset_hours_(utc_offset_hours), south_(south) {}

  // The values at the middle of hours first .. first+count-1, counted in UTC from 2000-01-01T00:00Z.
  std::vector<double> Over(std::int64_t first, std::size_t count) const;

 private:
  const std::array<double, kSeasonTerms>& coefficients_;
  int utc_offset_hours_;
  bool south_;
};

}  // namespace heliostat::synthetic
