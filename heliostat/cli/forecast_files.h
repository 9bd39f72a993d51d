#pragma once

#include <string>
#include <vector>

#include "heliostat/cli/command.h"
#include "heliostat/core/time.h"
#include "heliostat/report/html.h"
#include "heliostat/signal/signal.h"

namespace heliostat::cli {

// A file that a command will write besides its result.
struct OutputFile {
  std::string option;  // "--html"
  std::string path;    // empty: not asked for
  std::string text;
};

// Refuses, before any work is done, files that could not be written in the end
// or would overwrite an input or each other.
Status RefuseTargets(const std::vector<OutputFile>& files, const std::vector<std::string>& inputs,
                     const Options& options);
// Writes those that were asked for.
Status WriteAll(const std::vector<OutputFile>& files);

// A length of time from a user that must be whole steps.
Result<Duration> ParseSteps(const std::string& text, const std::string& option, Duration step);
// The same for how far to look ahead, which has a limit.
Result<Duration> ParseHorizon(const std::string& text, Duration step);
// A time from a user that must be one of the series' own.
Result<Instant> ParseSampleTime(const std::string& text, const std::string& option, Instant start, Duration step);

// "carbon_intensity, CISO": a series and its zone, where its name does not say it already.
std::string SeriesText(const signal::Signal& signal);

// A table as text: columns as wide as they need, numbers flush right.
std::string TextOf(const report::Table& table);

}  // namespace heliostat::cli
