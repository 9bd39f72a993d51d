#include "heliostat/ui/cli/run_ledgers.h"

#include <utility>

#include "heliostat/base/core/environment.h"
#include "heliostat/node/lease/machine.h"
#include "heliostat/node/ledger/bill.h"
#include "heliostat/node/ledger/runs.h"
#include "heliostat/node/ledger/writer.h"
#include "heliostat/ui/user_config/config.h"

namespace heliostat::cli {
namespace {

bool Lives(const ledger::Author& author) {
  const auto machine = lease::ThisMachine();
  return machine->BootId() == author.boot && machine->IsAlive({static_cast<pid_t>(author.pid), author.start_ticks});
}

// A decision as in the ledger, with its energy, carbon, power and speed.
io::Json DecisionJson(const ledger::Period& period, const ledger::Begin& begin) {
  const ledger::Totals totals = ledger::TotalsOf(period, begin);
  io::Json json = ledger::ToJson(period);
  json.Set("energy_kwh", InKilowattHours(totals.energy));
  json.Set("carbon_g", period.carbon_g_per_kwh ? io::Json(totals.carbon.value) : io::Json());
  json.Set("mean_power_w", period.mean_power().value).Set("mean_steps_per_s", period.mean_steps_per_s());
  return json;
}

io::Json NumberOrNull(const std::optional<ledger::Estimate>& estimate, double ledger::Estimate::*part) {
  return estimate ? io::Json((*estimate).*part) : io::Json();
}

}  // namespace

Result<std::string> RunsFolderOr(const std::string& option) {
  if (!option.empty()) return option;
  const auto config = user_config::Config::Read(ProcessEnvironment());
  if (!config) return Propagate(config);
  return ledger::RunsFolder(config->Over(ProcessEnvironment()));
}

std::string FolderOption(const Syntax& command) { return command.OfParent("--folder"); }

std::string StateTextNow(const ledger::Run& run) {
  return ledger::StateText(ledger::StateOf(run, ledger::ThisHost(), Lives), run);
}

io::Json RunJson(const ledger::Run& run) {
  io::Json json;
  json.Set("id", run.id).Set("state", StateTextNow(run)).Set("begin", ledger::ToJson(run.begin));
  json.Set("bill", ledger::ToJson(ledger::BillOf(run), run.begin));
  io::Json decisions{io::Json::Array{}};
  for (const ledger::Period& period : ledger::Decisions(run.periods)) decisions.Append(DecisionJson(period, run.begin));
  io::Json notes{io::Json::Array{}};
  for (const ledger::Note& note : run.notes) notes.Append(ledger::ToJson(note));
  io::Json troubles{io::Json::Array{}};
  for (const std::string& trouble : run.troubles) troubles.Append(trouble);
  json.Set("decisions", std::move(decisions)).Set("notes", std::move(notes));
  json.Set("end", run.end ? ledger::ToJson(*run.end) : io::Json()).Set("troubles", std::move(troubles));
  return json;
}

io::Json RunLineJson(const ledger::Run& run) {
  const ledger::Bill bill = ledger::BillOf(run);
  io::Json json;
  json.Set("id", run.id).Set("start", FormatInstant(run.begin.start));
  json.Set("program", ledger::ProgramName(run.begin.command)).Set("state", StateTextNow(run));
  if (ledger::IsOnMadeUpGpu(run.begin)) json.Set("made_up_gpu", true);
  json.Set("exit_status", run.end ? io::Json(run.end->exit_status) : io::Json());
  json.Set("time_s", bill.run.time.count()).Set("steps", bill.steps);
  json.Set("energy_kwh", InKilowattHours(bill.run.energy)).Set("carbon_g", bill.run.carbon.value);
  if (run.begin.currency) json.Set("cost", bill.run.cost).Set("currency", run.begin.currency->code());
  const auto& saved = bill.from_start.carbon_saved_percent;
  const auto& slower = bill.from_start.slowdown_percent;
  json.Set("carbon_saved_percent", NumberOrNull(saved, &ledger::Estimate::value));
  json.Set("carbon_saved_percent_error", NumberOrNull(saved, &ledger::Estimate::error));
  json.Set("slowdown_percent", NumberOrNull(slower, &ledger::Estimate::value));
  json.Set("slowdown_percent_error", NumberOrNull(slower, &ledger::Estimate::error));
  json.Set("shadow", run.begin.is_shadow).Set("only_measures", run.begin.only_measures);
  json.Set("shared_s", bill.shared.count());
  if (const auto shadow = ledger::WouldHaveSaved(bill); shadow && run.begin.is_shadow) {
    json.Set("would_have_saved_percent", shadow->carbon_saved_percent.value);
    json.Set("would_have_saved_percent_error", shadow->carbon_saved_percent.error);
  }
  return json;
}

}  // namespace heliostat::cli
