#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace heliostat::io {

// The line, counted from 1, of the first character outside ASCII at a place where TOML does not accept it: outside
// strings and comments. Also refuses one directly after a backslash in a string, or after a line break that the
// backslash escapes: rare, and toml++ 3.3 mishandles some of these characters there, as it does outside strings.
std::optional<std::size_t> LineOfStrayCharacter(std::string_view text);

}  // namespace heliostat::io
