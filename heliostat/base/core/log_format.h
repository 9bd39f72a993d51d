#pragma once

#include <string_view>

#include "heliostat/base/core/error.h"

namespace heliostat {

// How messages look on stderr.
enum class LogFormat {
  kText,  // "heliostat: warning: MESSAGE"
  kJson,  // one object per line: {"time", "level", "message"}; of an error also "where" and "allowed"
};

// kText at the start. Thread-safe.
void SetLogFormat(LogFormat format);
LogFormat PresentLogFormat();

// Writes an error, whatever the level of the log. Thread-safe.
void LogError(const Error& error);

// Writes a text of several lines: as it is, or as one JSON object. Thread-safe.
void LogText(std::string_view text);

// Tells the log where the output of another program, which goes to the same terminal, has ended: with `is_mid_line`,
// the next message begins with a line break. Thread-safe.
void SetMidLine(bool is_mid_line);

}  // namespace heliostat
