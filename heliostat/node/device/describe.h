#pragma once

#include "heliostat/base/io/json.h"
#include "heliostat/node/device/gpu.h"

namespace heliostat::device {

// GPUs as JSON. The agent's answers and the program's results share this form. Names carry units; a value that the card
// does not report is null.

// {"knob": "power-limit", "default": false, "power_limit_w": 300}; clocks: "low_mhz", "high_mhz".
io::Json Describe(const Setting& setting);
// kCorrupt for anything else. Does not check the range of a card: CheckRange() does.
Result<Setting> ReadSetting(const io::Json& json);

// {"uuid", "name", "pci", "index"}, and "made_up": true for a GPU that exists as a model only.
io::Json Describe(const Identity& identity);
// {"power_limit_w": {"lowest", "default", "highest"} or null, "core_clocks_mhz": {"lowest", "highest", "count"},
//  "memory_clocks_mhz": [...], "can_lock_core", "can_lock_memory", "has_energy_counter"}.
io::Json Describe(const Abilities& abilities);
// {"power_w", "enforced_limit_w", "core_mhz", "memory_mhz", "utilisation", "temperature_c", "throttle"}.
io::Json Describe(const Reading& reading);
// {"persistence", "mig", "memory_used_bytes", "memory_total_bytes", "processes": [{"pid", "memory_bytes"}]}.
io::Json Describe(const Details& details);
// {"asked", "stands", "outcome"}.
io::Json Describe(const Applied& applied);
Result<Applied> ReadApplied(const io::Json& json);

}  // namespace heliostat::device
