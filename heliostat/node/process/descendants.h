#pragma once

#include <sys/types.h>

#include <vector>

namespace heliostat::process {

// The process groups of a process and of all that descend from it, without doubles. More than its own: launchers of
// data-parallel training give each worker a session. What is not to be seen (another user's /proc) is left out.
std::vector<pid_t> GroupsUnder(pid_t root);

}  // namespace heliostat::process
