#pragma once

#include <vector>

#include "heliostat/control/policy/choices.h"

namespace heliostat::policy {

// Default settings, one per group in which the job can run, in the order of the site's groups.
std::vector<RunSetting> FirstFit(const Choices& choices);
// The same, the fastest group first.
std::vector<RunSetting> FastestFirst(const Choices& choices);

}  // namespace heliostat::policy
