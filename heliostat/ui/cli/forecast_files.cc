#include "heliostat/ui/cli/forecast_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/ui/cli/forecast_history.h"

namespace heliostat::cli {

Result<Duration> ParseSteps(const std::string& text, const std::string& option, Duration step) {
  const auto length = ParseDuration(text, option);
  if (!length) return length;
  if (*length % step != Duration{0}) {
    return Fail(ErrorCode::kInvalidArgument, option, "'" + Printable(text, 40) + "' is not a whole number of steps",
                fmt::format("a multiple of {}", FormatDuration(step)));
  }
  return length;
}

Result<Duration> ParseHorizon(const std::string& text, Duration step) {
  auto horizon = ParseSteps(text, "--horizon", step);
  if (!horizon || *horizon <= kLongestHorizon) return horizon;
  return Fail(ErrorCode::kInvalidArgument, "--horizon", "'" + Printable(text, 40) + "' is too long",
              "at most " + FormatDuration(kLongestHorizon));
}

Result<Instant> ParseSampleTime(const std::string& text, const std::string& option, Instant start, Duration step) {
  auto t = ParseInstant(text, option);
  if (!t || (*t - start) % step == Duration{0}) return t;
  return Fail(ErrorCode::kInvalidArgument, option, FormatInstant(*t) + " is not a time of a value in the file",
              fmt::format("every {} from {}", FormatDuration(step), FormatInstant(start)));
}

std::string SeriesText(const signal::Signal& signal) {
  const std::string& zone = signal.meaning.zone;
  return zone.empty() || zone == signal.name ? signal.name : signal.name + ", " + zone;
}

std::string SeriesTitle(const signal::Signal& signal) {
  std::string title = SeriesText(signal);
  std::ranges::replace(title, '_', ' ');
  return title;
}

}  // namespace heliostat::cli
