#pragma once

#include <string>
#include <string_view>

namespace heliostat::report {

// `text` as character data or quoted attribute of XML and HTML: markup is escaped, and characters that no document may
// contain (control characters, invalid UTF-8) become U+FFFD. All text of a page must pass through it.
std::string Escape(std::string_view text);

}  // namespace heliostat::report
