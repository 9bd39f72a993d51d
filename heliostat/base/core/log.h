#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace heliostat {

// Progress and trouble, told to people on stderr; results never go here.
enum class LogLevel { kDebug, kInfo, kWarning, kError };

// Lowest level that is shown; kInfo unless set. Thread-safe.
void SetLogLevel(LogLevel lowest);

// One line. Control characters in it are escaped. Thread-safe.
void LogLine(LogLevel level, std::string_view line);

template <typename... Args>
void Log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  LogLine(level, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace heliostat
