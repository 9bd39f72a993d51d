#pragma once

#include <vector>

#include "heliostat/control/policy/policy.h"

namespace heliostat::policy {

// One for each line of the list in CMakeLists.txt, in its order.
std::vector<Info> AllPolicies();

}  // namespace heliostat::policy
