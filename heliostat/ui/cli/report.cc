#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "heliostat/node/ledger/runs.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/cli/run_ledgers.h"
#include "heliostat/ui/report/run_page.h"
#include "heliostat/ui/report/run_text.h"

namespace heliostat::cli {
namespace {

struct Arguments {
  std::string id;
  std::string folder;
  std::string html;
};

// The page of a run in the folder of --html. An empty `folder` means that the option is not given.
OutputFile PageFile(const std::string& folder, const std::string& id) {
  if (folder.empty()) return {.option = "--html", .path = {}, .text = {}};
  return {"--html", std::filesystem::absolute(folder) / (id + ".html"), {}, /*makes_folder=*/true};
}

Result<Output> Answer(const Arguments& arguments, const Options& options) {
  const auto folder = RunsFolderOr(arguments.folder);
  if (!folder) return Propagate(folder);
  const auto run = ledger::FindRun(*folder, arguments.id);
  if (!run) return Propagate(run);
  std::vector<OutputFile> files{PageFile(arguments.html, run->id)};
  if (const auto bad = RefuseTargets(files, {}, options); !bad) return Propagate(bad);
  Output output{report::BillText(*run, StateTextNow(*run), report::TerminalWidth()), RunJson(*run)};
  if (arguments.html.empty()) return output;
  auto page = report::RunPage(*run, StateTextNow(*run), options.made_by);
  if (!page) return Propagate(page);
  files[0].text = *std::move(page);
  if (const auto written = WriteAll(files); !written) return Propagate(written);
  output.text += fmt::format("\npage: {}\n", files[0].path);
  output.json.Set("page", files[0].path);
  return output;
}

}  // namespace

Command InstallReport(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("ID", arguments->id, "ID of the run (default: the last run)");
  syntax.AddOption("--folder DIR", arguments->folder,
                   "Folder of runs (default: HELIOSTAT_RUNS, else the user's data folder)");
  syntax.AddOption("--html DIR", arguments->html, "Write the page ID.html of the run into this folder");
  syntax.Footer("Examples:\n  heliostat report\n  heliostat report 4f2a --html pages");
  return [arguments, &options] { return Answer(*arguments, options); };
}

}  // namespace heliostat::cli
