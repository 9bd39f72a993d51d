#pragma once

namespace heliostat::cli {

// The whole command line program: parses, runs one command, prints the result
// to stdout or one error line to stderr, and returns the exit status of the
// contract (0 done, 2 bad usage or input, 3 nothing feasible, 1 anything else).
// No exception leaves it.
int Run(int argc, char** argv);

}  // namespace heliostat::cli
