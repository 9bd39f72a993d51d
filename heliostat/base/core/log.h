#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace heliostat {

// Levels of messages about progress and problems. Messages go to stderr; results never do.
enum class LogLevel { kDebug, kInfo, kWarning, kError };

// Sets the lowest level that is shown; kInfo at the start. Thread-safe.
void SetLogLevel(LogLevel lowest);

// Writes one line to stderr. Escapes control characters and cuts the line after about 2000 bytes. Thread-safe.
void LogLine(LogLevel level, std::string_view line);

// Formats the message as fmt::format does, then calls LogLine(). Thread-safe.
template <typename... Args>
void Log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  LogLine(level, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace heliostat
