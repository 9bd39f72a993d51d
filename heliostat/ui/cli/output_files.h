#pragma once

#include <string>
#include <vector>

#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/report/terminal.h"

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

// A page that a command writes as index.html into a folder of the user's choice.
//
// Refuses, before any work is done, a folder that cannot be made or written, and a page that would overwrite an input
// or the result. An empty folder: no page was asked for.
Status RefuseReport(const std::string& folder, const std::vector<std::string>& inputs, const Options& options);
// Makes the folder where it is missing. The page's path.
Result<std::string> WriteReport(const std::string& folder, const std::string& page);

}  // namespace heliostat::cli
