#pragma once

#include <string_view>

namespace heliostat {

// Prints file, line and reason, and aborts.
[[noreturn]] void BrokenInvariant(std::string_view why, const char* file, int line);

// Aborts when an invariant of ours is broken. On in release builds too. Never
// reachable from user input: that is a Result. The compiler fills in the
// caller's place; clang 14, which builds the fuzz targets, has no std::source_location.
inline void Check(bool holds, std::string_view why, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (!holds) [[unlikely]]
    BrokenInvariant(why, file, line);
}

}  // namespace heliostat
