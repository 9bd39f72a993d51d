#pragma once

#include <optional>
#include <string_view>

#include "heliostat/node/lease/machine.h"

namespace heliostat::lease {

// The process that the text of /proc/PID/stat tells of; nothing when it has ended and only waits to be collected, or
// when the text is none.
std::optional<Process> ReadProcessStat(std::string_view text);

}  // namespace heliostat::lease
