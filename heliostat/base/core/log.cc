#include "heliostat/base/core/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdio>
#include <string>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/log_format.h"

namespace heliostat {
namespace {

std::atomic<LogFormat> present_format{LogFormat::kText};
std::atomic<bool> is_mid_line_now{false};

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

spdlog::logger& Logger() {
  static const auto kLogger = [] {
    auto logger = spdlog::stderr_color_mt("heliostat");
    logger->set_pattern("%n: %^%l%$: %v");
    return logger;
  }();
  return *kLogger;
}

// A JSON text. `text` is valid UTF-8.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(c) < ' ') {
      quoted += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

// `members`: the JSON members after time and level.
void Write(spdlog::level::level_enum level, std::string_view text, std::string_view members) {
  if (!Logger().should_log(level)) return;
  if (is_mid_line_now.exchange(false)) std::fwrite("\n", 1, 1, stderr);
  Logger().log(level, std::string(present_format == LogFormat::kJson ? members : text));
}

}  // namespace

void SetLogLevel(LogLevel lowest) { Logger().set_level(ToSpdlog(lowest)); }

void SetLogFormat(LogFormat format) {
  present_format = format;
  if (format == LogFormat::kText) {
    Logger().set_pattern("%n: %^%l%$: %v");
  } else {
    Logger().set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%SZ","level":"%l",%v})", spdlog::pattern_time_type::utc);
  }
}

LogFormat PresentLogFormat() { return present_format; }

void SetMidLine(bool is_mid_line) { is_mid_line_now = is_mid_line; }

void LogLine(LogLevel level, std::string_view line) {
  const std::string text = Printable(line, 2000);
  Write(ToSpdlog(level), text, "\"message\":" + Quoted(text));
}

void LogError(const Error& error) {
  std::string members = "\"message\":" + Quoted(Printable(error.what, 2000));
  if (!error.where.empty()) members += ",\"where\":" + Quoted(Printable(error.where, 2000));
  if (!error.allowed.empty()) members += ",\"allowed\":" + Quoted(Printable(error.allowed, 2000));
  Write(spdlog::level::err, error.Line(), members);
}

void LogText(std::string_view text) {
  if (text.empty()) return;
  if (present_format == LogFormat::kJson) {
    Write(spdlog::level::info, "", "\"message\":" + Quoted(text));
  } else {
    if (is_mid_line_now.exchange(false)) std::fwrite("\n", 1, 1, stderr);
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
}

}  // namespace heliostat
