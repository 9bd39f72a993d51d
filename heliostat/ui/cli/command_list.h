#pragma once

#include <span>

#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {

// A command of the program. A plain value type.
struct ListedCommand {
  const char* path;          // its words: "signal inspect"
  const char* about;         // for --help
  Install install;           // null: it only has other commands below it
  const char* example = "";  // of a command that only has others below it
  bool takes_fakes = false;  // it and those below it take --fake-gpu
};

// Every command, in the order in which --help lists them; each after the one above it.
std::span<const ListedCommand> CommandList();

}  // namespace heliostat::cli
