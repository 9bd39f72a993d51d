#include <memory>

#include "heliostat/node/ledger/runs.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/run_ledgers.h"
#include "heliostat/ui/report/run_text.h"

namespace heliostat::cli {
namespace {

Result<Output> Plot(const std::string& option, const std::string& id, std::size_t width) {
  const auto folder = RunsFolderOr(option);
  if (!folder) return Propagate(folder);
  const auto run = ledger::FindRun(*folder, id);
  if (!run) return Propagate(run);
  auto plot = report::RunPlot(*run, {.width = width, .is_utf8 = report::IsUtf8Terminal()});
  if (!plot) return Propagate(plot);
  return Output{*std::move(plot), RunJson(*run)};
}

}  // namespace

Command InstallRunsPlot(const Syntax& syntax, Options& /*options*/) {
  auto id = std::make_shared<std::string>();
  auto width = std::make_shared<std::size_t>(report::TerminalWidth());
  syntax.AddOption("ID", *id, "ID of the run (default: the last run)");
  syntax.AddOption("--width COLUMNS", *width, "Width of the plot in columns (default: the width of the terminal)")
      .Between(40, 1000);
  syntax.Footer("Example: heliostat runs plot 4f2a");
  return [syntax, id, width] { return Plot(FolderOption(syntax), *id, *width); };
}

}  // namespace heliostat::cli
