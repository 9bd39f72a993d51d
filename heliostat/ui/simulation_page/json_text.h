#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heliostat::simulation_page {

// Compact JSON for the script of a page. Safe inside a <script> element: characters that could end it or begin markup
// are escaped.
std::string JsonText(std::string_view text);
// A number with four significant digits, more than the page shows; null if it is missing.
std::string JsonNumber(double value);
std::string JsonNumbers(std::span<const double> values);

}  // namespace heliostat::simulation_page
