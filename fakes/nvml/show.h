#pragma once

#include "fakes/nvml/state.h"
#include "heliostat/base/io/json.h"

namespace heliostat::nvml_double {

// The whole state at the present time:
//
// {"time_scale", "root_only", "generation", "now_s", "gpus": [{"index", "gpu", "name", "uuid", "power_limit_w",
//  "enforced_limit_w", "core_clock": null or {"low_mhz", "high_mhz"}, "memory_clock": likewise, "power_w", "energy_j",
//  "temperature_c", "core_mhz", "utilisation", "power_capped", "samples", "faults": [text],
//  "loads": [{"pid": null without a process, "model", "duty", "steps", "goal", "steps_per_s"}],
//  "writes": {"power-limit", "core-clock", "memory-clock"}: how many were done,
//  "last_writes": [{"function", "low", "high", "pid", "result", "at_s"}]: the last 64 tried, oldest first}]}.
io::Json Describe(State& state);

}  // namespace heliostat::nvml_double
