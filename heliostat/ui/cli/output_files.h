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
  bool makes_folder = false;  // whether the folder of the file is made if it does not exist
};

// Checks the files before the work begins. Fails if a file or the file of --json is a folder or a device, is in a
// folder that does not exist or in which no file can be made, or would overwrite an input or another of the files. To
// find out, it makes a file in the folder and removes it. An error names the option.
Status RefuseTargets(const std::vector<OutputFile>& files, const std::vector<std::string>& inputs,
                     const Options& options);
// Writes the files whose option is given: all of them or, where the disk is full, none.
Status WriteAll(const std::vector<OutputFile>& files);

// The file of "--output PATH", where "-" means stdout and is no file.
OutputFile FileOrStdout(const std::string& path);
// The page that --report FOLDER writes. An empty `folder` means that the option is not given.
OutputFile ReportFile(const std::string& folder, std::string page = {});
// Checks the folder of --report, into which WriteReport writes index.html, before the work begins. Fails if the folder
// cannot be created or written, or if the page would overwrite an input or the file of --json.
Status RefuseReport(const std::string& folder, const std::vector<std::string>& inputs, const Options& options);
// Writes `page` as index.html into the folder, which it creates if it does not exist. Returns the path of the page.
Result<std::string> WriteReport(const std::string& folder, const std::string& page);

}  // namespace heliostat::cli
