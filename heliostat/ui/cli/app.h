#pragma once

#include <vector>

#include "heliostat/ui/cli/help_page.h"

namespace heliostat::cli {

// Runs the command line program: parses the arguments, runs one command, prints the result to stdout or one error line
// to stderr, and returns the exit status of the contract: 0 success, 1 failure, 2 bad usage or bad input, 3 no feasible
// solution. Throws nothing. After `heliostat run` it does not return: the process ends as the program ended, by the
// same exit status or signal.
int Run(int argc, char** argv);

// What --help says about the program and every command, for tests.
std::vector<HelpPage> HelpPages();

}  // namespace heliostat::cli
