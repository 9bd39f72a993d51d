#pragma once

#include "heliostat/base/core/time.h"

namespace heliostat::synthetic {

// The sine of the elevation of the sun over the horizon; negative at night. Angles in degrees, east and north positive.
// Accurate to about a quarter of a degree for some centuries; ignores refraction.
double SineOfElevation(double hours_since_2000, double latitude, double longitude);

// Hours since 2000-01-01T00:00Z.
double HoursSince2000(Instant t);

}  // namespace heliostat::synthetic
