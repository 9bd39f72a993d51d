#pragma once

#include <string>
#include <vector>

namespace heliostat::cli {

// Runs the command line program: parses the arguments, runs one command, prints the result to stdout or one error line
// to stderr, and returns the exit status of the contract: 0 success, 1 failure, 2 bad usage or bad input, 3 no feasible
// solution. Throws nothing. After `heliostat run` it does not return: the process ends as the program ended, by the
// same exit status or signal.
int Run(int argc, char** argv);

// The text of --help of every command, for the test that all of them are in words of users.
std::vector<std::string> HelpOfAllCommands();

}  // namespace heliostat::cli
