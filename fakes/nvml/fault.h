#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fakes/nvml/layout.h"
#include "heliostat/base/core/error.h"

namespace heliostat::nvml_double {

// Adds a fault to a GPU, by its name on the command line. kInvalidArgument for an unknown kind or value.
//
//   no-permission            every write is refused
//   lost                     every call returns that the GPU is lost
//   hang [FUNCTION][:SECONDS]  calls (all on this GPU, or those of the function) do not return until it is cleared, or
//                            for SECONDS of the machine's clock from `real_s` on
//   clamp LOW:HIGH           power limits are silently forced between these watts
//   round MILLIWATTS         power limits are rounded down to whole multiples
//   ignore                   writes return success and change nothing
//   unsupported FUNCTION     that function is not supported
//   out-of-band WATTS        a lower limit set out of band, visible in the enforced limit only
//   no-energy-counter        the energy counter is not supported
//   mig                      the GPU is split into instances
Status AddFault(Faults& faults, std::string_view kind, std::string_view value, double real_s);

std::optional<Function> FunctionOf(std::string_view name);
// True when a call of `function` must not return yet. `real_s`: the machine's time since boot.
bool Hangs(const Faults& faults, Function function, double real_s);

}  // namespace heliostat::nvml_double
