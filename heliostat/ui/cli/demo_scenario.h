#pragma once

#include <cstdint>
#include <string>

#include "heliostat/model/scenario/past.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::cli {

// A generated week of a cluster, and its signals before that week.
struct DemoWorld {
  scenario::Scenario scenario;
  scenario::Past past;
};

// 64 GPUs in eight nodes with on-site solar power, in a built-in zone. The same zone and seed give the same world.
// Fails for an unknown zone.
Result<DemoWorld> MakeDemoWorld(const std::string& zone, std::uint64_t seed);

}  // namespace heliostat::cli
