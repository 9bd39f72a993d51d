#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/node/gpu_access/gpus.h"
#include "heliostat/node/lease/lease_summary.h"
#include "heliostat/ui/console/text_and_json.h"

namespace heliostat::console {

// One line per GPU: name, power, limit, clocks, load, temperature and throttle reasons.
TextAndJson List(const gpu_access::Gpus& gpus);
// All details of one GPU. `leases` holds the leases of the machine, of which those on this GPU are shown; nullopt if no
// agent keeps leases. Fails if the GPU cannot be read.
Result<TextAndJson> Show(device::Gpu& gpu, const std::optional<std::vector<lease::LeaseSummary>>& leases);

// Identity and one reading of a GPU, as List() and the live view show them. If the GPU cannot be read, the member
// "error" has the reason.
io::Json Summary(device::Gpu& gpu);
// The value at `key` with its unit, such as "612 W"; "–" if the summary has none.
std::string CellOf(const io::Json& summary, std::string_view key, std::string_view unit);

}  // namespace heliostat::console
