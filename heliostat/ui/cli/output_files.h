#pragma once

#include <string>
#include <vector>

#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::cli {

// A file that a command writes in addition to its result.
struct OutputFile {
  std::string option;  // "--html"
  std::string path;    // empty: the option is not given
  std::string text;
};

// Checks the files before the work begins. Fails if a file or the file of --json is a folder, is in a folder that does
// not exist, or would overwrite an input or another of the files. An error names the option.
Status RefuseTargets(const std::vector<OutputFile>& files, const std::vector<std::string>& inputs,
                     const Options& options);
// Writes the files whose option is given, each atomically, in order. Stops at the first failure.
Status WriteAll(const std::vector<OutputFile>& files);

// Checks the folder of --report, into which WriteReport writes index.html, before the work begins. Fails if the folder
// cannot be created or written, or if the page would overwrite an input or the file of --json. An empty `folder` means
// that the option is not given.
Status RefuseReport(const std::string& folder, const std::vector<std::string>& inputs, const Options& options);
// Writes `page` as index.html into the folder, which it creates if it does not exist. Returns the path of the page.
Result<std::string> WriteReport(const std::string& folder, const std::string& page);

}  // namespace heliostat::cli
