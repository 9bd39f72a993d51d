#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heliostat {

// The number of bytes to add, remove or change to turn one word into the other (Levenshtein distance).
std::size_t EditDistance(std::string_view a, std::string_view b);

// The ALLOWED part of the message that refuses `name`: "one of pue, slots", or "did you mean slots? One of pue, slots"
// when one of `known` differs from `name` in few letters.
std::string OneOf(std::string_view name, std::span<const std::string_view> known);

}  // namespace heliostat
