#include "heliostat/node/ledger/csv.h"

#include <fmt/format.h>

#include "heliostat/node/ledger/bill.h"

namespace heliostat::ledger {
namespace {

// RFC 4180: what holds a separator, a quote or a break is quoted.
std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string CellOf(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }

std::string PredictionCells(const std::optional<LevelPrediction>& prediction) {
  if (!prediction) return ",,,,,";
  return fmt::format(",{},{},{},{},{}", prediction->level, prediction->power_w.value, prediction->power_w.error,
                     prediction->steps_per_s.value, prediction->steps_per_s.error);
}

std::string HeaderOf(const Run& run) {
  std::string header =
      "start,end,elapsed_s,decision,knob,level,level_unit,is_probe,why,freshness,signal_age_s,forecast_g_per_kwh,"
      "carbon_g_per_kwh,price_per_kwh,energy_kwh,carbon_g,cost,steps,progress,aside_s,aside_energy_j,mean_power_w,"
      "mean_steps_per_s";
  for (const std::string_view of : {"default", "optimum"}) {
    header += fmt::format(",{0}_level,{0}_power_w,{0}_power_error_w,{0}_steps_per_s,{0}_steps_per_s_error", of);
  }
  for (std::size_t gpu = 0; gpu < run.begin.gpus.size(); ++gpu) header += fmt::format(",gpu{}_energy_j", gpu);
  return header + "\n";
}

std::string RowOf(const Period& period, const Begin& begin) {
  const Totals totals = TotalsOf(period, begin);
  std::string row =
      fmt::format("{},{},{},{},{},{},{},{},{},{},{}", FormatInstant(period.start), FormatInstant(period.end),
                  period.elapsed.count(), period.decision, Quoted(begin.knob), period.level, Quoted(begin.level_unit),
                  period.is_probe ? 1 : 0, Quoted(period.why), NameOf(period.freshness), period.signal_age.count());
  row += fmt::format(",{},{},{},{}", CellOf(period.forecast_g_per_kwh), CellOf(period.carbon_g_per_kwh),
                     CellOf(period.price_per_kwh), InKilowattHours(totals.energy));
  row += fmt::format(",{},{}", period.carbon_g_per_kwh ? CellOf(totals.carbon.value) : "",
                     period.price_per_kwh ? CellOf(totals.cost) : "");
  row += fmt::format(",{},{},{},{},{},{}", period.steps, NameOf(period.progress), period.aside.count(),
                     period.aside_energy.value, period.mean_power().value, period.mean_steps_per_s());
  row += PredictionCells(period.at_default) + PredictionCells(period.at_optimum);
  for (const Joules& one : period.energy) row += fmt::format(",{}", one.value);
  return row + "\n";
}

}  // namespace

std::string CsvOf(const Run& run) {
  std::string csv = HeaderOf(run);
  for (const Period& period : run.periods) csv += RowOf(period, run.begin);
  return csv;
}

}  // namespace heliostat::ledger
