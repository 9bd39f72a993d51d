#pragma once

#include "heliostat/base/core/random.h"
#include "heliostat/model/scenario/generate.h"

namespace heliostat::scenario {

// Work for a scenario that has its horizon, groups and profiles already.
std::vector<Job> MakeJobs(const Shape& shape, const Scenario& scenario, RandomStream random);
std::vector<Service> MakeServices(const Shape& shape, const Scenario& scenario, RandomStream random);

}  // namespace heliostat::scenario
