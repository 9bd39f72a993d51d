#pragma once

#include "heliostat/ui/cli/help_page.h"

namespace heliostat::cli {

// What `heliostat help environment` prints: the exit statuses, and the environment variables that the programs read.
// The documents list the same variables; a test compares them.
HelpPage EnvironmentPage();

}  // namespace heliostat::cli
