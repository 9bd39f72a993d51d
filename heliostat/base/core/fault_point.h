#pragma once

#include <string_view>

namespace heliostat {

// A place where a test may end the process as `kill -9` would: HELIOSTAT_KILL_AT=NAME, or NAME:3 for the third time
// that it is reached. Does nothing in what is installed: only builds with the option HELIOSTAT_FAULT_POINTS look at the
// variable at all.
void FaultPoint(std::string_view name);

}  // namespace heliostat
