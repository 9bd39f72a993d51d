#include <fmt/format.h>

#include <memory>

#include "heliostat/node/ledger/csv.h"
#include "heliostat/node/ledger/runs.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/cli/run_ledgers.h"
#include "heliostat/ui/report/run_page.h"

namespace heliostat::cli {
namespace {

struct Arguments {
  std::string id;
  std::string csv;
  std::string html;
};

Result<Output> Export(const std::string& option, const Arguments& arguments, const Options& options) {
  if (arguments.csv.empty() && arguments.html.empty() && !options.wants_json) {
    return Fail(ErrorCode::kInvalidArgument, "command line", "nothing to write",
                "give --csv FILE, --html FILE or --json");
  }
  const auto folder = RunsFolderOr(option);
  if (!folder) return Propagate(folder);
  const auto run = ledger::FindRun(*folder, arguments.id);
  if (!run) return Propagate(run);
  std::vector<OutputFile> files{{"--csv", arguments.csv, ""}, {"--html", arguments.html, ""}};
  const std::string ledger = *folder + "/" + run->id + "/ledger.journal";
  if (const auto bad = RefuseTargets(files, {ledger}, options); !bad) return Propagate(bad);
  files[0].text = ledger::CsvOf(*run);
  auto page = report::RunPage(*run, StateTextNow(*run), options.made_by);
  if (!page) return Propagate(page);
  files[1].text = *std::move(page);
  if (const auto bad = WriteAll(files); !bad) return Propagate(bad);
  Output output;
  for (const OutputFile& file : files) {
    if (!file.path.empty()) output.text += fmt::format("{}\n", file.path);
  }
  output.json = RunJson(*run);
  return output;
}

}  // namespace

Command InstallRunsExport(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("ID", arguments->id, "ID of the run (default: the last run)");
  syntax.AddOption("--csv FILE", arguments->csv, "Write a CSV file, one row per part of a period");
  syntax.AddOption("--html FILE", arguments->html, "Write one self-contained HTML page");
  syntax.Footer("Examples:\n  heliostat runs export 4f2a --csv run.csv\n  heliostat runs export 4f2a --json run.json");
  return [syntax, arguments, &options] { return Export(FolderOption(syntax), *arguments, options); };
}

}  // namespace heliostat::cli
