#include "heliostat/signals/synthetic/sun.h"

#include <cmath>
#include <numbers>

namespace heliostat::synthetic {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

}  // namespace

double SineOfElevation(double hours_since_2000, double latitude, double longitude) {
  const double days = hours_since_2000 / 24;
  const double anomaly = kDegree * (357.5291 + 0.98560028 * (days - 0.5));  // 2000-01-01 noon is the epoch
  const double centre = kDegree * (1.9148 * std::sin(anomaly) + 0.02 * std::sin(2 * anomaly));
  const double ecliptic = anomaly + centre + kDegree * (102.9372 + 180);
  const double sin_declination = std::sin(ecliptic) * std::sin(kDegree * 23.4393);
  // The equation of time: solar time minus clock time.
  const double equation_hours = 24 * (0.0069 * std::sin(2 * ecliptic) - 0.0053 * std::sin(anomaly));
  const double clock_hours = hours_since_2000 - 24 * std::floor(days);
  const double hour_angle = kDegree * (15 * (clock_hours - 12 + equation_hours) + longitude);
  return std::sin(kDegree * latitude) * sin_declination +
         std::cos(kDegree * latitude) * std::sqrt(1 - sin_declination * sin_declination) * std::cos(hour_angle);
}

double HoursSince2000(Instant t) {
  constexpr Instant kEpoch = std::chrono::sys_days{std::chrono::year{2000} / 1 / 1};
  return static_cast<double>((t - kEpoch).count()) / 3600;
}

}  // namespace heliostat::synthetic
