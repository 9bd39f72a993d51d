#pragma once

#include <string>
#include <string_view>

namespace heliostat::report {

// `text` as character data or quoted attribute of XML and HTML: markup is escaped, and characters that no document may
// contain (control characters, invalid UTF-8) become U+FFFD. All text of a page must pass through it.
std::string Escape(std::string_view text);

// Escape() of numbers as print sets them: "−5.7" with a minus sign, "3 to 5" for "3 .. 5", a dash for a missing one.
std::string EscapeNumbers(std::string_view text);

// Escape() of sentences: numbers as above, and what is between two backticks as code.
std::string EscapeProse(std::string_view text);

}  // namespace heliostat::report
