#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heliostat {

// Letters to add, drop or change to make one word of the other.
std::size_t EditDistance(std::string_view a, std::string_view b);

// "one of pue, slots", for the message that refuses `name`; "did you mean slots? One of pue, slots" when one of
// `known` is close enough to be what was meant.
std::string OneOf(std::string_view name, std::span<const std::string_view> known);

}  // namespace heliostat
