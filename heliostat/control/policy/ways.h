#pragma once

#include <vector>

#include "heliostat/control/policy/choices.h"

namespace heliostat::policy {

// Default settings in the order of the scenario's groups: whichever has room first.
std::vector<RunSetting> FirstFit(const Choices& choices);
// Default settings, the fastest group first.
std::vector<RunSetting> FastestFirst(const Choices& choices);

}  // namespace heliostat::policy
