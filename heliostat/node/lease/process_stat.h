#pragma once

#include <optional>
#include <string_view>

#include "heliostat/node/lease/machine.h"

namespace heliostat::lease {

// Parses the text of /proc/PID/stat. Absent when the process has ended and only waits to be collected, when it is a
// thread of the kernel, or when the text is not of that form.
std::optional<Process> ReadProcessStat(std::string_view text);

}  // namespace heliostat::lease
