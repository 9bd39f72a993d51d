#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace heliostat::io {

// The line, counted from 1, of the first character beyond ASCII where a TOML document may hold none: outside strings
// and comments. Also of one that directly follows a backslash in a string, or the line break that it escapes: rare, and
// toml++ 3.3 gets lost on some of these characters as it does outside strings.
std::optional<std::size_t> LineOfStrayCharacter(std::string_view text);

}  // namespace heliostat::io
