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

// One column per run, one row per figure.
report::HtmlTable Compare(const std::vector<ledger::Run>& runs) {
  report::HtmlTable table{.header = {""}, .rows = {}, .text_columns = 1};
  std::vector<ledger::Bill> bills;
  for (const ledger::Run& run : runs) {
    table.header.push_back(run.id);
    bills.push_back(ledger::BillOf(run));
  }
  const auto add = [&](const char* name, auto text_of) {
    std::vector<std::string> row{name};
    for (std::size_t i = 0; i < runs.size(); ++i) row.push_back(text_of(runs[i], bills[i]));
    table.rows.push_back(std::move(row));
  };
  const auto percent = [](const std::optional<ledger::Estimate>& estimate) {
    return estimate ? report::EstimateText(*estimate, "%") : std::string("–");
  };
  const auto a_thousand = [](double amount, double steps) {
    return steps > 0 ? report::NumberText(1e3 * amount / steps) : std::string("–");
  };
  using ledger::Bill;
  using ledger::Run;
  add("state", [](const Run& run, const Bill&) { return StateTextNow(run); });
  add("mode", [](const Run& run, const Bill&) { return Printable(run.begin.mode, 40); });
  add("time", [](const Run&, const Bill& bill) {
    return report::LengthText(Duration(static_cast<std::int64_t>(bill.run.time.count())));
  });
  add("energy", [](const Run&, const Bill& b) { return report::EnergyText(b.run.energy); });
  add("carbon", [](const Run&, const Bill& b) { return report::CarbonText(b.run.carbon); });
  add("cost", [](const Run& run, const Bill& bill) {
    if (!run.begin.currency) return std::string("–");
    return fmt::format("{} {}", report::NumberText(bill.run.cost, 4), run.begin.currency->code());
  });
  add("steps", [](const Run&, const Bill& bill) { return report::StepsText(bill.steps_done); });
  add("Wh / 1000 steps",
      [&](const Run&, const Bill& b) { return a_thousand(1e3 * InKilowattHours(b.run.energy), b.steps); });
  add("g / 1000 steps", [&](const Run&, const Bill& b) { return a_thousand(b.run.carbon.value, b.steps); });
  add("s / 1000 steps", [&](const Run&, const Bill& b) { return a_thousand(b.run.time.count(), b.steps); });
  add("carbon saved", [&](const Run&, const Bill& b) { return percent(b.from_start.carbon_saved_percent); });
  add("energy saved", [&](const Run&, const Bill& b) { return percent(b.from_start.energy_saved_percent); });
  add("longer by", [&](const Run&, const Bill& b) { return percent(b.from_start.slowdown_percent); });
  return table;
}

Result<Output> Answer(const std::string& option, const std::vector<std::string>& ids) {
  const auto folder = RunsFolderOr(option);
  if (!folder) return Propagate(folder);
  std::vector<ledger::Run> runs;
  io::Json rows{io::Json::Array{}};
  for (const std::string& id : ids) {
    auto run = ledger::FindRun(*folder, id);
    if (!run) return Propagate(run);
    io::Json row;
    row.Set("id", run->id).Set("state", StateTextNow(*run)).Set("mode", run->begin.mode);
    rows.Append(std::move(row.Set("bill", ledger::ToJson(ledger::BillOf(*run), run->begin))));
    runs.push_back(*std::move(run));
  }
  Output output;
  output.text = report::TextOf(Compare(runs));
  output.json.Set("runs", std::move(rows));
  return output;
}

}  // namespace

Command InstallRunsCompare(const Syntax& syntax, Options& /*options*/) {
  auto ids = std::make_shared<std::vector<std::string>>();
  syntax.AddOption("ID", *ids, "IDs of two or more runs").Required().Values(2, 16);
  syntax.Footer("Example: heliostat runs compare 4f2a 81c0");
  return [syntax, ids] { return Answer(FolderOption(syntax), *ids); };
}

}  // namespace heliostat::cli
