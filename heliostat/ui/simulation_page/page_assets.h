#pragma once

#include <string_view>

namespace heliostat::simulation_page {

// page.css, and readout.js, schedule.js and switch.js as one script, built in.
std::string_view PageStyle();
std::string_view PageScript();

}  // namespace heliostat::simulation_page
