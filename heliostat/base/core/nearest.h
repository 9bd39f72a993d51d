#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heliostat {

// The number of bytes to add, remove or change to turn one word into the other (Levenshtein distance).
std::size_t EditDistance(std::string_view a, std::string_view b);

// The one of `known` that `name` is a misspelling of: it differs in at most a third of the letters plus one. Empty when
// there is none.
std::string_view Nearest(std::string_view name, std::span<const std::string_view> known);

// The ALLOWED part of the message that refuses `name`: "one of pue, slots", or "did you mean slots? One of pue, slots"
// when `name` is a misspelling of one of `known`.
std::string OneOf(std::string_view name, std::span<const std::string_view> known);

}  // namespace heliostat
