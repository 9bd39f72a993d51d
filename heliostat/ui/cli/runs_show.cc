#include <fmt/format.h>

#include <limits>
#include <memory>

#include "heliostat/node/ledger/runs.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/run_ledgers.h"
#include "heliostat/ui/report/run_text.h"

namespace heliostat::cli {
namespace {

Result<Output> Show(const std::string& option, const std::string& id) {
  const auto folder = RunsFolderOr(option);
  if (!folder) return Propagate(folder);
  const auto run = ledger::FindRun(*folder, id);
  if (!run) return Propagate(run);
  Output output;
  output.text = fmt::format("{}\n\n", fmt::join(report::HeadLines(*run, StateTextNow(*run)), "\n"));
  output.text += report::TextOf(report::DecisionTable(*run, std::numeric_limits<std::size_t>::max()));
  if (!run->notes.empty()) output.text += "\n";
  for (const ledger::Note& note : run->notes) {
    output.text += fmt::format("{} {}\n", FormatInstant(note.time), Printable(note.text));
  }
  for (const std::string& trouble : run->troubles) output.text += fmt::format("ledger: {}\n", Printable(trouble));
  output.json = RunJson(*run);
  return output;
}

}  // namespace

Command InstallRunsShow(const Syntax& syntax, Options& /*options*/) {
  auto id = std::make_shared<std::string>();
  syntax.AddOption("ID", *id, "ID of the run (default: the last run)");
  syntax.Footer("`heliostat report ID` shows the bill of the run.\n\nExample: heliostat runs show 4f2a");
  return [syntax, id] { return Show(FolderOption(syntax), *id); };
}

}  // namespace heliostat::cli
