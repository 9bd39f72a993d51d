#include <fmt/format.h>

#include <memory>

#include "heliostat/node/ledger/bill.h"
#include "heliostat/node/ledger/runs.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/run_ledgers.h"
#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/plan_tables.h"
#include "heliostat/ui/report/run_text.h"

namespace heliostat::cli {
namespace {

constexpr const char* kAbout =
    R"(An ID may be shortened at either end if it still identifies one run. "saved" is the carbon saved against the
default setting from the same start, with its 95 % range; of a shadow, what it would have saved.

Examples:
  heliostat runs
  heliostat runs show 4f2a
  heliostat runs compare 4f2a 81c0
  heliostat runs export 4f2a --csv run.csv --html run.html)";

std::string Line(const std::string& trouble) { return "not read: " + trouble + "\n"; }

Result<Output> List(const std::string& option) {
  const auto folder = RunsFolderOr(option);
  if (!folder) return Propagate(folder);
  const ledger::Listing listing = ledger::RunsIn(*folder);
  report::HtmlTable table{
      .header = {"id", "start, UTC", "program", "state", "time", "energy", "carbon", "saved", "longer"},
      .rows = {},
      .text_columns = 4};
  io::Json runs{io::Json::Array{}};
  for (const ledger::Run& run : listing.runs) {
    const ledger::Bill bill = ledger::BillOf(run);
    const auto shadow = ledger::WouldHaveSaved(bill);
    const bool is_shadow = run.begin.is_shadow;
    const auto percent = [is_shadow](const std::optional<ledger::Estimate>& estimate) {
      return estimate ? (is_shadow ? "would: " : "") + report::EstimateText(*estimate, "%") : std::string("–");
    };
    // Of a shadow: what it would have saved.
    const auto saved = !is_shadow ? bill.from_start.carbon_saved_percent
                       : shadow   ? std::optional(shadow->carbon_saved_percent)
                                  : std::nullopt;
    const auto longer = run.begin.only_measures ? std::nullopt
                        : !is_shadow            ? bill.from_start.slowdown_percent
                        : shadow                ? std::optional(shadow->slowdown_percent)
                                                : std::nullopt;
    table.rows.push_back(
        {run.id, FormatInstant(run.begin.start).substr(0, 16).replace(10, 1, " "),
         Printable(ledger::ProgramName(run.begin.command), 30),
         StateTextNow(run) + (is_shadow ? ", shadow" : "") + (ledger::IsOnMadeUpGpu(run.begin) ? ", made-up GPU" : ""),
         report::LengthText(Duration(static_cast<std::int64_t>(bill.run.time.count()))),
         run.begin.has_gpus() || bill.run.energy.value > 0.0 ? report::EnergyText(bill.run.energy) : "–",
         bill.uncharged_energy < bill.run.energy ? report::CarbonText(bill.run.carbon) : "–", percent(saved),
         percent(longer)});
    runs.Append(RunLineJson(run));
  }
  io::Json troubles{io::Json::Array{}};
  Output output;
  output.text = table.rows.empty() ? fmt::format("no runs in {}\n", Printable(*folder)) : report::TextOf(table);
  for (const std::string& trouble : listing.troubles) {
    output.text += Line(trouble);
    troubles.Append(trouble);
  }
  output.json.Set("folder", *folder).Set("runs", std::move(runs)).Set("troubles", std::move(troubles));
  return output;
}

}  // namespace

Command InstallRuns(const Syntax& syntax, Options& /*options*/) {
  auto folder = std::make_shared<std::string>();
  syntax.AddOption("--folder DIR", *folder, "Folder of runs (default: HELIOSTAT_RUNS, else the user's data folder)");
  syntax.Footer(kAbout);
  return [folder] { return List(*folder); };
}

Command InstallRunsList(const Syntax& syntax, Options& /*options*/) {
  syntax.Footer("Example: heliostat runs list --json");
  return [syntax] { return List(FolderOption(syntax)); };
}

}  // namespace heliostat::cli
