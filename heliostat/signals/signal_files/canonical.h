#pragma once

#include <span>
#include <string>

#include "heliostat/signals/signal/signal.h"

namespace heliostat::signal_files {

// The name a column has in a canonical file: the unit is part of it. With
// several columns their own names go in front ("DE_carbon_g_per_kwh").
std::string CanonicalName(const signal::Signal& signal, bool is_only_one);

// The canonical text of signals that share start, step and size: UTC times,
// canonical units, an empty cell where a value is missing.
Result<std::string> WriteCanonical(std::span<const signal::Signal> signals);

}  // namespace heliostat::signal_files
