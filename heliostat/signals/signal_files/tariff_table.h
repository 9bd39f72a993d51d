#pragma once

#include <array>
#include <string_view>

#include "heliostat/signals/signal_files/read.h"

namespace heliostat::signal_files {

inline constexpr std::array kTariffFormats{
    FormatFacts{"urdb", "a tariff of the OpenEI Utility Rate Database, JSON"},
    FormatFacts{"acn-tariff", "a tariff schedule as acnportal keeps it, JSON"},
    FormatFacts{"csv-tariff", "a tariff as a table of charges"},
};

// Whether the text is to be read as a tariff: asked for by name, or by its looks.
bool IsTariffWanted(std::string_view text, const ReadOptions& options);

// A tariff's energy price as a table of one column, over the span asked for or
// over the calendar year (UTC) in which it takes effect. Its demand charges come along.
Result<SignalTable> ReadTariffTable(std::string_view text, const std::string& file, const ReadOptions& options);

}  // namespace heliostat::signal_files
