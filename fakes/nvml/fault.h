#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fakes/nvml/layout.h"
#include "heliostat/base/core/error.h"

namespace heliostat::nvml_double {

// Puts a fault on a GPU by its name on the command line:
//
//   no-permission            every write is refused
//   lost                     every call says that the GPU is lost
//   hang [FUNCTION][:SECONDS]  calls (all on this GPU, or those of the function) do not return until it is cleared, or
//                            for so many seconds of the machine's clock from `real_s` on
//   clamp LOW:HIGH           power limits are silently forced between these watts
//   round MILLIWATTS         power limits are rounded down to whole multiples
//   ignore                   writes are said to be done and are not
//   unsupported FUNCTION     that function is not supported
//   out-of-band WATTS        a lower limit from elsewhere, told by the enforced limit alone
//   no-energy-counter        there is none
//   mig                      cut into instances
Status AddFault(Faults& faults, std::string_view kind, std::string_view value, double real_s);

std::optional<Function> FunctionOf(std::string_view name);
bool Hangs(const Faults& faults, Function function, double real_s);

}  // namespace heliostat::nvml_double
