#pragma once

#include <string_view>

namespace heliostat {

// A place where a test may end the process as `kill -9` would: HELIOSTAT_KILL_AT=NAME or NAME:3 (the third time it is
// reached). Compiled in by HELIOSTAT_FAULT_POINTS only; what is installed has nothing of it.
#ifdef HELIOSTAT_FAULT_POINTS
void FaultPoint(std::string_view name);
#else
inline void FaultPoint(std::string_view /*name*/) {}
#endif

}  // namespace heliostat
