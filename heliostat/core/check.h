#pragma once

#include <source_location>
#include <string_view>

namespace heliostat {

// Aborts with file, line and reason when an invariant of ours is broken. On in
// release builds too. Never reachable from user input: that is a Result.
void Check(bool holds, std::string_view why, std::source_location at = std::source_location::current());

}  // namespace heliostat
