#pragma once

#include <string_view>

namespace heliostat {

// Prints file, line and `why` to stderr and aborts the process.
[[noreturn]] void BrokenInvariant(std::string_view why, const char* file, int line);

// Aborts when an invariant of Heliostat is broken; active in release builds too. User input must never reach it: bad
// input is a Result. The compiler fills in `file` and `line` of the caller; clang 14, which builds the fuzz targets,
// has no std::source_location.
inline void Check(bool holds, std::string_view why, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (!holds) [[unlikely]]
    BrokenInvariant(why, file, line);
}

}  // namespace heliostat
