#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace heliostat::io {

// The whole of `text` as a finite decimal number, correctly rounded. "nan",
// "inf", hexadecimal, blanks and thousands separators are not numbers.
std::optional<double> ParseNumber(std::string_view text);

// The whole of `text` as an integer of at most nine digits, which is all that
// dates, periods and counts in files need.
std::optional<std::int32_t> ParseInteger(std::string_view text);

}  // namespace heliostat::io
