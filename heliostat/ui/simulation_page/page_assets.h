#pragma once

#include <string_view>

namespace heliostat::simulation_page {

// The text of page.css, and of readout.js, schedule.js and switch.js as one script. Both are compiled in.
std::string_view PageStyle();
std::string_view PageScript();

}  // namespace heliostat::simulation_page
