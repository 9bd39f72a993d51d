#pragma once

#include <vector>

#include "heliostat/policy/policy.h"

namespace heliostat::policy {

// One for each file that ends in _policy.cc, in the order of the files' names.
std::vector<Info> AllPolicies();

}  // namespace heliostat::policy
