#pragma once

#include <string>

#include "heliostat/base/core/time.h"
#include "heliostat/signals/signal/signal.h"
#include "heliostat/ui/cli/output_files.h"

namespace heliostat::cli {

// Parses a length of time that must be a multiple of `step`. An error names `option`.
Result<Duration> ParseSteps(const std::string& text, const std::string& option, Duration step);
// The same for --horizon, which is at most kLongestHorizon.
Result<Duration> ParseHorizon(const std::string& text, Duration step);
// Parses a time that must be `start` plus a multiple of `step`. An error names `option`.
Result<Instant> ParseSampleTime(const std::string& text, const std::string& option, Instant start, Duration step);

// "carbon_intensity, CISO": the name of a series and its zone, unless the name contains the zone.
std::string SeriesText(const signal::Signal& signal);
// The same for the title of a page: "carbon intensity, DE".
std::string SeriesTitle(const signal::Signal& signal);

}  // namespace heliostat::cli
