#pragma once

#include <string>
#include <vector>

#include "heliostat/cli/command.h"
#include "heliostat/report/html.h"

namespace heliostat::cli {

// A file that a command will write besides its result.
struct OutputFile {
  std::string option;  // "--html"
  std::string path;    // empty: not asked for
  std::string text;
};

// Refuses, before any work is done, files that could not be written in the end
// or would overwrite an input or each other.
Status RefuseTargets(const std::vector<OutputFile>& files, const std::vector<std::string>& inputs,
                     const Options& options);
// Writes those that were asked for.
Status WriteAll(const std::vector<OutputFile>& files);

// A table as text: columns as wide as they need, numbers flush right.
std::string TextOf(const report::Table& table);

}  // namespace heliostat::cli
