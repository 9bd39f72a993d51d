#pragma once

#include "heliostat/signals/provider/connection.h"

namespace heliostat::provider {

// The Carbon Intensity API of NESO, the system operator of Great Britain, in half-hours. No key. Zone "GB" is measured
// ("actual", an estimate that settles within a day) and forecast; "GB-1" (North Scotland) to "GB-17" (Wales) are
// forecast only.
Result<Provider> MakeNeso(const Dependencies& dependencies);

// Parses the body of /intensity/{from}/{to}, or for a region of /regional/intensity/{from}/{to}/regionid/{id}, as the
// signal of one role.
Result<signal::Signal> ParseNesoIntensity(std::string_view body, const SignalRequest& request, Instant now,
                                          AnswerRole role);

}  // namespace heliostat::provider
