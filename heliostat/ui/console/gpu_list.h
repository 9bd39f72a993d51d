#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/node/gpu_access/gpus.h"
#include "heliostat/node/lease/lease_summary.h"
#include "heliostat/ui/console/told.h"

namespace heliostat::console {

// One line per GPU: who it is, what it draws, how fast it runs, where its limit stands.
Told List(const gpu_access::Gpus& gpus);
// Everything there is to know about one. `leases`: all of the machine, of which those on this GPU are told; nothing
// where no agent keeps any.
Result<Told> Show(device::Gpu& gpu, const std::optional<std::vector<lease::LeaseSummary>>& leases);

// A GPU's reading beside its identity: what List() and the live view tell of it. Errors stand in it as "error".
io::Json Summary(device::Gpu& gpu);
// "612 W", "–" for what is not told.
std::string CellOf(const io::Json& summary, std::string_view key, std::string_view unit);

}  // namespace heliostat::console
