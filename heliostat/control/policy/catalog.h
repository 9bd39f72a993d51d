#pragma once

#include <vector>

#include "heliostat/control/policy/policy.h"

namespace heliostat::policy {

// All policies, one per line of the list in CMakeLists.txt, in the same order. The build generates the definition.
std::vector<Info> AllPolicies();

}  // namespace heliostat::policy
