#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heliostat::simulation_page {

// JSON as short as it can be, for numbers that a page's script reads. Safe inside a <script> element: what could end
// it, or begin markup, is written as an escape.
std::string JsonText(std::string_view text);
// Four digits, which is more than a read-out shows; null when it is missing.
std::string JsonNumber(double value);
std::string JsonNumbers(std::span<const double> values);

}  // namespace heliostat::simulation_page
