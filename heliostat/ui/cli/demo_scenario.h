#pragma once

#include <cstdint>
#include <string>

#include "heliostat/model/scenario/past.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::cli {

// A made week of a made cluster, and what was measured before it.
struct DemoWorld {
  scenario::Scenario scenario;
  scenario::Past past;
};

// 64 GPUs in eight nodes with sun on the roof, in a built-in zone. Deterministic in both.
Result<DemoWorld> MakeDemoWorld(const std::string& zone, std::uint64_t seed);

}  // namespace heliostat::cli
