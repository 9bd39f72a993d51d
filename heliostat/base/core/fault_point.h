#pragma once

#include <string_view>

namespace heliostat {

// Marks a place where a test can end the process as `kill -9` does. HELIOSTAT_KILL_AT=NAME ends it when the point is
// reached, NAME:3 when it is reached for the third time. Only builds with the option HELIOSTAT_FAULT_POINTS read the
// variable; in installed builds the function does nothing. Thread-safe.
void FaultPoint(std::string_view name);

}  // namespace heliostat
