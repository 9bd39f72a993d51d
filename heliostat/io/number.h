#pragma once

#include <cstddef>
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

// ParseNumber for the `size` bytes before `end`, for callers who can promise
// that eight bytes before `end` may be read: short numbers are then worked out
// without a branch a digit, which is where reading large files spends its time.
// False when it is no number. (An optional<double> would cost more than the
// work: it travels through memory in two pieces.)
bool ParseNumberBefore(const char* end, std::size_t size, double& value);

}  // namespace heliostat::io
