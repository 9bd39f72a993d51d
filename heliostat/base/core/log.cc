#include "heliostat/base/core/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "heliostat/base/core/error.h"

namespace heliostat {
namespace {

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

}  // namespace

void SetLogLevel(LogLevel lowest) { Logger().set_level(ToSpdlog(lowest)); }

void LogLine(LogLevel level, std::string_view line) { Logger().log(ToSpdlog(level), Printable(line, 2000)); }

}  // namespace heliostat
