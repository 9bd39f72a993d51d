#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "heliostat/base/io/file.h"
#include "heliostat/node/ledger/runs.h"
#include "heliostat/ui/cli/command.h"
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

Result<std::string> WritePage(const ledger::Run& run, const std::string& folder, const report::MadeBy& made_by) {
  const auto page = report::RunPage(run, StateTextNow(run), made_by);
  if (!page) return Propagate(page);
  if (const auto made = io::MakeDirectories(folder); !made) return Propagate(made);
  std::string path = std::filesystem::absolute(folder) / (run.id + ".html");
  if (const auto written = io::WriteFileAtomically(path, *page); !written) return Propagate(written);
  return path;
}

Result<Output> Answer(const Arguments& arguments, const Options& options) {
  const auto folder = RunsFolderOr(arguments.folder);
  if (!folder) return Propagate(folder);
  const auto run = ledger::FindRun(*folder, arguments.id);
  if (!run) return Propagate(run);
  Output output{report::BillText(*run, StateTextNow(*run), report::TerminalWidth()), RunJson(*run)};
  if (arguments.html.empty()) return output;
  const auto path = WritePage(*run, arguments.html, options.made_by);
  if (!path) return Propagate(path);
  output.text += fmt::format("\npage: {}\n", *path);
  output.json.Set("page", *path);
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
