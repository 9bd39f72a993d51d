#pragma once

#include <string>
#include <string_view>

namespace heliostat::report {

// `text` as character data or a quoted attribute of XML and HTML: markup is
// escaped, and what no document may hold (control characters, broken UTF-8)
// becomes U+FFFD. Everything that a page shows goes through here.
std::string Escape(std::string_view text);

}  // namespace heliostat::report
