#pragma once

#include <string_view>

namespace heliostat::dashboard {

// page.css, and readout.js, schedule.js and switch.js as one script, built in.
std::string_view PageStyle();
std::string_view PageScript();

}  // namespace heliostat::dashboard
