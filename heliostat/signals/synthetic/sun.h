#pragma once

#include "heliostat/base/core/time.h"

namespace heliostat::synthetic {

// Sine of the sun's height over the horizon; negative at night. Good to about a
// quarter of a degree for the next centuries, no refraction.
double SineOfElevation(double hours_since_2000, double latitude, double longitude);

// Hours from 2000-01-01T00:00Z.
double HoursSince2000(Instant t);

}  // namespace heliostat::synthetic
