#pragma once

#include <string>

#include "heliostat/base/core/time.h"
#include "heliostat/signals/signal/signal.h"
#include "heliostat/ui/cli/output_files.h"

namespace heliostat::cli {

// A length of time from a user that must be whole steps.
Result<Duration> ParseSteps(const std::string& text, const std::string& option, Duration step);
// The same for how far to look ahead, which has a limit.
Result<Duration> ParseHorizon(const std::string& text, Duration step);
// A time from a user that must be one of the series' own.
Result<Instant> ParseSampleTime(const std::string& text, const std::string& option, Instant start, Duration step);

// "carbon_intensity, CISO": a series and its zone, where its name does not say it already.
std::string SeriesText(const signal::Signal& signal);

}  // namespace heliostat::cli
