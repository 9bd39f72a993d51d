#pragma once

#include <span>
#include <string>

#include "heliostat/signals/signal/signal.h"

namespace heliostat::signal_files {

// The name of the column of `signal` in a canonical file; the name contains the unit. With several columns their own
// names come first ("DE_carbon_g_per_kwh").
std::string CanonicalName(const signal::Signal& signal, bool is_only_one);

// Writes signals that share start, step and size as a canonical file: UTC times, canonical units, an empty cell where a
// value is missing. kInvalidArgument when the times differ or two columns get the same name.
Result<std::string> WriteCanonical(std::span<const signal::Signal> signals);

}  // namespace heliostat::signal_files
