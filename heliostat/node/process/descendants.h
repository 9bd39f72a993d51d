#pragma once

#include <sys/types.h>

#include <vector>

namespace heliostat::process {

// The process groups of a process and of its descendants, without duplicates. There may be several, because launchers
// of data-parallel training start each worker in its own session. Processes that are not visible (another user's /proc)
// are left out.
std::vector<pid_t> GroupsUnder(pid_t root);

// A process and its descendants, as far as they are visible.
std::vector<pid_t> ProcessesUnder(pid_t root);

}  // namespace heliostat::process
