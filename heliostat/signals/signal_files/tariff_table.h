#pragma once

#include <array>
#include <string_view>

#include "heliostat/signals/signal_files/read.h"

namespace heliostat::signal_files {

// Part of KnownFormats().
inline constexpr std::array kTariffFormats{
    FormatFacts{"urdb", "a tariff of the OpenEI Utility Rate Database, JSON"},
    FormatFacts{"acn-tariff", "a tariff schedule as acnportal keeps it, JSON"},
    FormatFacts{"csv-tariff", "a tariff as a table of charges"},
};

// True when `options.format` names a tariff format, or is empty and the text looks like a tariff.
bool IsTariffWanted(std::string_view text, const ReadOptions& options);

// Reads the energy price of a tariff as a table of one column over `options.span`, or over the calendar year (UTC) in
// which the tariff takes effect. The table includes the tariff with its demand charges.
Result<SignalTable> ReadTariffTable(std::string_view text, const std::string& file, const ReadOptions& options);

}  // namespace heliostat::signal_files
