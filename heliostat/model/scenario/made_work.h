#pragma once

#include "heliostat/base/core/random.h"
#include "heliostat/model/scenario/generate.h"

namespace heliostat::scenario {

// Generates work for a scenario that already has its horizon, groups and profiles.
std::vector<Job> MakeJobs(const Shape& shape, const Scenario& scenario, RandomStream random);
std::vector<Service> MakeServices(const Shape& shape, const Scenario& scenario, RandomStream random);

}  // namespace heliostat::scenario
