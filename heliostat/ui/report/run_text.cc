#include "heliostat/ui/report/run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <span>

#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/plan_tables.h"

namespace heliostat::report {
namespace {

using ledger::Bill;
using ledger::Counterfactual;
using ledger::Estimate;
using ledger::Run;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kPlotPoints = 480;

std::string TimeText(double seconds) { return LengthText(Duration(std::llround(seconds))); }

std::string TimeEstimate(const Estimate& seconds) {
  const double bar = ledger::BarOf(seconds);
  return bar < 0.5 ? TimeText(seconds.value) : fmt::format("{} ± {}", TimeText(seconds.value), TimeText(bar));
}

std::string PercentOrDash(const std::optional<Estimate>& estimate) {
  return estimate ? EstimateText(*estimate, "%") : "–";
}

// A unit of energy or mass in which an amount is easy to read.
struct Scale {
  double size;  // in joules, or grams
  const char* name;
};

Scale EnergyScale(Joules energy) {
  const double wh = std::abs(energy.value) / 3600.0;
  if (wh >= 100.0) return {kJoulesPerKwh, "kWh"};
  if (wh >= 1.0 || wh == 0.0) return {3600.0, "Wh"};
  return {3.6, "mWh"};
}

Scale CarbonScale(Grams carbon) {
  const double g = std::abs(carbon.value);
  if (g >= 1e4) return {1e3, "kg"};
  return g >= 0.1 || g == 0.0 ? Scale{1.0, "g"} : Scale{1e-3, "mg"};
}

std::string AmountText(double value, const Scale& scale) {
  return fmt::format("{} {}", NumberText(value / scale.size, 4), scale.name);
}

std::string MoneyText(double amount, std::string_view currency) {
  constexpr double kLeast = 1e-4;
  if (amount != 0.0 && std::abs(amount) < kLeast) return fmt::format("below {} {}", kLeast, currency);
  return fmt::format("{} {}", NumberText(amount, 4), currency);
}

// True when every period was at the default and no other level's speed was known: all columns would be equal.
bool HasNothingToCompare(const Run& run, const Bill& bill) {
  const bool is_default = std::ranges::all_of(
      run.periods, [&](const ledger::Period& period) { return period.level == run.begin.default_level; });
  const bool knows_others = run.begin.has_gpus() && !run.begin.only_measures && bill.at_optimum.known_share > 0.0;
  return is_default && !knows_others;
}

// Of a run that could have learned: what kept it at its default. The last refusal counts, as the most recent reason.
std::string WhyAtDefault(const Run& run) {
  const bool is_refused = std::ranges::any_of(
      run.periods, [](const ledger::Period& period) { return period.why.starts_with(ledger::kKnobRefused); });
  if (is_refused) {
    const auto note = std::find_if(run.notes.rbegin(), run.notes.rend(),
                                   [](const ledger::Note& one) { return one.text.starts_with(ledger::kNotTurned); });
    const std::string reason = note == run.notes.rend()
                                   ? ""
                                   : fmt::format(" ({})", Printable(note->text.substr(ledger::kNotTurned.size()), 160));
    return fmt::format("The knob could not be turned{}; nothing was changed.", reason);
  }
  const bool knows_carbon = std::ranges::any_of(
      run.periods, [](const ledger::Period& period) { return period.carbon_g_per_kwh.has_value(); });
  if (!knows_carbon) return "No carbon intensity was known at any time; nothing was changed.";
  return "Too short to learn; nothing was changed.";
}

std::string WhyNothingChanged(const Run& run) {
  if (!run.begin.has_gpus()) {
    return run.periods.empty() || ledger::BillOf(run).run.energy.value > 0.0
               ? "No GPU: the energy is that of the processors and memory of the whole machine, not of this program "
                 "alone."
               : "No GPU, and the energy of the processors cannot be read: heliostat doctor says why.";
  }
  if (run.begin.only_measures) return "Measured only: no carbon intensity was followed, and nothing was changed.";
  if (run.begin.is_shadow) {
    return "Shadow: nothing was changed. The speed at other levels is not known, so that no saving can be estimated; a "
           "run that is not a shadow learns it.";
  }
  return WhyAtDefault(run);
}

// What a shadow would have saved, or why that is not known.
std::string ShadowText(const Run& run, const Bill& bill) {
  const auto shadow = ledger::WouldHaveSaved(bill);
  if (!shadow) return WhyNothingChanged(run);
  const auto amount = [](const Estimate& percent) {
    return EstimateText({std::abs(percent.value), percent.error}, "%");
  };
  const bool saves = shadow->carbon_saved_percent.value >= 0.0;
  const bool is_charged = bill.run.carbon.value > 0.0;
  const Estimate& what = is_charged ? shadow->carbon_saved_percent : shadow->energy_saved_percent;
  return fmt::format("Shadow: nothing was changed. It would have {} {} {} for {} {} time.", saves ? "saved" : "cost",
                     amount(what), is_charged ? "carbon" : "energy", amount(shadow->slowdown_percent),
                     shadow->slowdown_percent.value >= 0.0 ? "more" : "less");
}

void AddShared(const Bill& bill, std::vector<std::string>& remarks) {
  if (bill.shared.count() <= 0.0) return;
  const Scale scale = EnergyScale(bill.others);
  remarks.push_back(fmt::format(
      "Shared: for {} other programs used the same GPUs too. Their part, {}, is not in this bill, and nothing "
      "was learned or compared meanwhile.",
      TimeText(bill.shared.count()), AmountText(bill.others.value, scale)));
}

Estimate InUnit(const Estimate& estimate, double unit) { return {estimate.value / unit, estimate.error / unit}; }

std::string LevelText(double level, const ledger::Begin& begin) {
  if (begin.level_unit.empty()) return fmt::format("{:.6g}", level);
  return fmt::format("{:.6g} {}", level, Printable(begin.level_unit, 10));
}

std::string GpuText(const ledger::Begin& begin) {
  if (begin.gpus.empty()) return "no GPU";
  return fmt::format("{} x {}", begin.gpus.size(), Printable(begin.gpus.front().name, 40));
}

std::string CommandText(const ledger::Begin& begin) {
  return Printable(fmt::format("{}", fmt::join(begin.command, " ")), 120);
}

void AddUnknowns(const Run& run, const Bill& bill, std::vector<std::string>& remarks) {
  if (bill.uncharged_energy.value > 0) {
    remarks.push_back(
        fmt::format("{} were used while the carbon intensity was unknown; the carbon does not include them.",
                    EnergyText(bill.uncharged_energy)));
  }
  if (run.begin.currency && bill.unpriced_energy.value > 0) {
    remarks.push_back(fmt::format("{} were used while the price was unknown; the cost does not include them.",
                                  EnergyText(bill.unpriced_energy)));
  }
  if (bill.estimated.count() > 0) {
    remarks.push_back(fmt::format("For {} the steps of the program are estimated from GPU counters.",
                                  TimeText(bill.estimated.count())));
  }
}

// Values at evenly spaced times of a run.
template <typename ValueOf>
std::vector<double> Sampled(const Run& run, ValueOf value_of) {
  std::vector<double> values(kPlotPoints, kMissing);
  const Instant first = run.begin.start;
  const auto span = static_cast<double>(std::max<std::int64_t>((run.last() - first).count(), 1));
  std::size_t at = 0;
  for (std::size_t i = 0; i < kPlotPoints; ++i) {
    const double moment = (static_cast<double>(i) + 0.5) / static_cast<double>(kPlotPoints) * span;
    const auto time = first + Duration(static_cast<std::int64_t>(moment));
    while (at + 1 < run.periods.size() && run.periods[at].end <= time) ++at;
    if (run.periods[at].start <= time && time <= run.periods[at].end) values[i] = value_of(at);
  }
  return values;
}

// A shadow beside what it would have set. Its run is the default itself.
HtmlTable ShadowTable(const Run& run, const Bill& bill) {
  HtmlTable table{.header = {"", "this run", "would have been"}, .rows = {}, .text_columns = 1};
  const Counterfactual& other = bill.at_shadow;
  const Scale energy = EnergyScale(bill.run.energy);
  const Scale carbon = CarbonScale(bill.run.carbon);
  table.rows.push_back({"energy", AmountText(bill.run.energy.value, energy),
                        EstimateText(InUnit(other.energy_j, energy.size), energy.name)});
  table.rows.push_back({"carbon", AmountText(bill.run.carbon.value, carbon),
                        EstimateText(InUnit(other.carbon_g, carbon.size), carbon.name)});
  if (run.begin.currency) {
    const std::string money(run.begin.currency->code());
    table.rows.push_back({"cost", MoneyText(bill.run.cost, money), EstimateText(other.cost, money)});
  }
  table.rows.push_back({"time", TimeText(bill.run.time.count()), TimeEstimate(other.time_s)});
  return table;
}

// A run without comparison.
HtmlTable ShortTable(const Run& run, const Bill& bill) {
  HtmlTable table{.header = {"", "this run"}, .rows = {}, .text_columns = 1};
  const bool has_energy = run.begin.has_gpus() || bill.run.energy.value > 0.0;
  const bool is_charged = bill.uncharged_energy < bill.run.energy;
  table.rows.push_back(
      {"energy", has_energy ? AmountText(bill.run.energy.value, EnergyScale(bill.run.energy)) : "unknown"});
  table.rows.push_back(
      {"carbon", is_charged ? AmountText(bill.run.carbon.value, CarbonScale(bill.run.carbon)) : "unknown"});
  if (run.begin.currency) {
    table.rows.push_back({"cost", MoneyText(bill.run.cost, run.begin.currency->code())});
  }
  table.rows.push_back({"time", TimeText(bill.run.time.count())});
  return table;
}

// "11-15 18:45:07".
std::string SecondText(Instant time) { return FormatInstant(time).substr(5, 14).replace(5, 1, " "); }

std::vector<std::string> DecisionRow(const Run& run, const ledger::Period& period) {
  const ledger::Totals totals = ledger::TotalsOf(period, run.begin);
  const bool is_charged = period.carbon_g_per_kwh.has_value();
  return {SecondText(period.start),
          LevelText(period.level, run.begin) + (period.is_probe ? ", probe" : ""),
          Printable(period.why, 240),
          is_charged ? ledger::TextOf(period.freshness, period.signal_age) : "unknown",
          TimeText(period.elapsed.count()),
          NumberText(period.forecast_g_per_kwh.value_or(kMissing)),
          NumberText(period.carbon_g_per_kwh.value_or(kMissing)),
          NumberText(period.mean_power().value),
          NumberText(period.mean_steps_per_s()),
          NumberText(InKilowattHours(totals.energy)),
          NumberText(is_charged ? totals.carbon.value : kMissing)};
}

// One row for consecutive probes: their number, the range of their levels, and sums.
std::vector<std::string> ProbesRow(const Run& run, std::span<const ledger::Period> probes) {
  double lowest = probes.front().level;
  double highest = lowest;
  double seconds = 0.0;
  double kwh = 0.0;
  double grams = 0.0;
  double steps = 0.0;
  for (const ledger::Period& probe : probes) {
    const ledger::Totals totals = ledger::TotalsOf(probe, run.begin);
    lowest = std::min(lowest, probe.level);
    highest = std::max(highest, probe.level);
    seconds += probe.elapsed.count();
    kwh += InKilowattHours(totals.energy);
    grams += probe.carbon_g_per_kwh ? totals.carbon.value : kMissing;
    steps += probe.steps;
  }
  return {SecondText(probes.front().start),
          fmt::format("{:.6g} to {}, probes", lowest, LevelText(highest, run.begin)),
          fmt::format("{} levels in a row to learn their speed and power; the last: {}", probes.size(),
                      Printable(probes.back().why, 240)),
          "",
          TimeText(seconds),
          "",
          "",
          NumberText(seconds > 0.0 ? kwh * kJoulesPerKwh / seconds : kMissing),
          NumberText(seconds > 0.0 ? steps / seconds : kMissing),
          NumberText(kwh),
          NumberText(grams)};
}

}  // namespace

// Estimated steps below 100 have a fraction.
std::string StepsText(double steps) {
  const bool is_whole = std::abs(steps - std::round(steps)) < 1e-6;
  return steps < 100 && !is_whole ? NumberText(steps) : fmt::format("{:.0f}", steps);
}

std::string EnergyText(Joules energy) { return AmountText(energy.value, EnergyScale(energy)); }

std::string CarbonText(Grams carbon) { return AmountText(carbon.value, CarbonScale(carbon)); }

std::string EstimateText(const Estimate& estimate, std::string_view unit) {
  const double bar = ledger::BarOf(estimate);
  if (!(bar > 0.0)) return fmt::format("{} {}", NumberText(estimate.value, 4), unit);
  // Two digits of the interval, and as many decimals of the value.
  const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(bar))), 0, 6);
  return fmt::format("{:.{}f} ± {:.{}f} {}", estimate.value, decimals, bar, decimals, unit);
}

std::string SummaryText(const Run& run, const Bill& bill) {
  if (run.begin.is_shadow) return ShadowText(run, bill);
  if (HasNothingToCompare(run, bill)) return WhyNothingChanged(run);
  const std::string verdict = VerdictText(bill);
  if (verdict.empty()) return "";
  return fmt::format("Against the default setting from the same start, it {}.", verdict);
}

std::string VerdictText(const Bill& bill) {
  const auto& saved = bill.from_start.carbon_saved_percent;
  const auto& slower = bill.from_start.slowdown_percent;
  if (!saved || !slower || bill.from_start.known_share <= 0.0) return "";
  const auto amount = [](const Estimate& percent) {
    return EstimateText({std::abs(percent.value), percent.error}, "%");
  };
  return fmt::format("{} {} of carbon and took {} {}", saved->value >= 0 ? "saved" : "cost", amount(*saved),
                     amount(*slower), slower->value >= 0 ? "longer" : "less time");
}

std::vector<std::string> HeadLines(const Run& run, std::string_view state) {
  const ledger::Begin& begin = run.begin;
  const std::string mark = begin.is_shadow ? " (shadow)" : begin.only_measures ? " (measured only)" : "";
  return {fmt::format("run {}: {}{}", run.id, state, mark), CommandText(begin),
          fmt::format("{} to {} UTC on {} ({})", MinuteText(begin.start), MinuteText(run.last()),
                      Printable(begin.host, 40), GpuText(begin)),
          fmt::format("{}, {}, signal: {}", Printable(begin.knob, 20), Printable(begin.mode, 60),
                      Printable(begin.signal_source, 80))};
}

HtmlTable BillTable(const Run& run, const Bill& bill) {
  if (run.begin.is_shadow && ledger::WouldHaveSaved(bill)) return ShadowTable(run, bill);
  if (HasNothingToCompare(run, bill)) return ShortTable(run, bill);
  HtmlTable table{
      .header = {"", "this run", "default, same start", "default, same moment", "energy-optimal, carbon-blind"},
      .rows = {},
      .text_columns = 1};
  const auto add = [&](std::string name, std::string own, auto other) {
    table.rows.push_back(
        {std::move(name), std::move(own), other(bill.from_start), other(bill.at_default), other(bill.at_optimum)});
  };
  const bool has_price = run.begin.currency.has_value();
  const std::string money(has_price ? run.begin.currency->code() : "");
  const Scale energy = EnergyScale(bill.run.energy);
  const Scale carbon = CarbonScale(bill.run.carbon);
  add("energy", AmountText(bill.run.energy.value, energy),
      [&](const Counterfactual& o) { return EstimateText(InUnit(o.energy_j, energy.size), energy.name); });
  add("carbon", AmountText(bill.run.carbon.value, carbon),
      [&](const Counterfactual& o) { return EstimateText(InUnit(o.carbon_g, carbon.size), carbon.name); });
  if (has_price) {
    add("cost", MoneyText(bill.run.cost, money), [&](const Counterfactual& o) { return EstimateText(o.cost, money); });
  }
  add("time", TimeText(bill.run.time.count()), [](const Counterfactual& o) { return TimeEstimate(o.time_s); });
  add("energy saved", "", [](const Counterfactual& o) { return PercentOrDash(o.energy_saved_percent); });
  add("carbon saved", "", [](const Counterfactual& o) { return PercentOrDash(o.carbon_saved_percent); });
  if (has_price) add("cost saved", "", [](const Counterfactual& o) { return PercentOrDash(o.cost_saved_percent); });
  add("longer by", "", [](const Counterfactual& o) { return PercentOrDash(o.slowdown_percent); });
  return table;
}

std::vector<std::string> BillRemarks(const Run& run, const Bill& bill) {
  std::vector<std::string> remarks;
  if (ledger::IsOnMadeUpGpu(run.begin)) {
    remarks.emplace_back("The GPU is made up: its power and all figures that follow from it are simulated.");
  }
  const bool has_more = bill.steps_done > bill.steps + 0.5;
  if (bill.steps_done > 0.0) {
    remarks.push_back(fmt::format(
        "{} {} done{}{}.", StepsText(bill.steps_done), Printable(run.begin.step_name, 20),
        has_more ? fmt::format("; {} of them after progress was known, which are compared", StepsText(bill.steps)) : "",
        bill.probing.count() >= 0.5 && !HasNothingToCompare(run, bill)
            ? fmt::format("; {} went into learning the profile", TimeText(bill.probing.count()))
            : ""));
  } else {
    remarks.emplace_back("No progress was seen.");
  }
  AddShared(bill, remarks);
  if (bill.at_default.known_share < 1.0 && !HasNothingToCompare(run, bill)) {
    remarks.push_back(
        fmt::format("For {} % of the time profile or progress was unknown; all columns count it as in this run.",
                    NumberText(100.0 * (1.0 - bill.at_default.known_share))));
  }
  if (bill.at_default.carbon_g.error > 0 || bill.at_optimum.carbon_g.error > 0) {
    remarks.emplace_back("Ranges (±) are 95 % intervals, from the standard errors of the profile.");
  }
  AddUnknowns(run, bill, remarks);
  for (const std::string& trouble : run.troubles) remarks.push_back("The ledger: " + trouble + ".");
  return remarks;
}

std::string BillText(const Run& run, std::string_view state, std::size_t width) {
  const Bill bill = ledger::BillOf(run);
  std::string text = fmt::format("{}\n\n", fmt::join(HeadLines(run, state), "\n"));
  if (run.periods.empty()) return text + "no period has ended yet, so there is no bill\n";
  text += TextOf(BillTable(run, bill), width) + "\n";
  if (const std::string summary = SummaryText(run, bill); !summary.empty()) text += summary + "\n";
  for (const std::string& remark : BillRemarks(run, bill)) text += remark + "\n";
  return text;
}

HtmlTable DecisionTable(const Run& run, std::size_t most, bool probes_as_one) {
  HtmlTable table{.header = {"from, UTC", "level", "why", "signal", "for", "forecast", "g/kWh", "W",
                             fmt::format("{}/s", Printable(run.begin.step_name, 20)), "kWh", "g"},
                  .rows = {},
                  .text_columns = 4};
  const auto decisions = ledger::Decisions(run.periods);
  for (std::size_t i = 0; i < decisions.size();) {
    std::size_t end = i + 1;
    while (probes_as_one && decisions[i].is_probe && end < decisions.size() && decisions[end].is_probe) ++end;
    table.rows.push_back(end - i > 1 ? ProbesRow(run, std::span(decisions).subspan(i, end - i))
                                     : DecisionRow(run, decisions[i]));
    i = end;
  }
  if (table.rows.size() > most)
    table.rows.erase(table.rows.begin(), table.rows.end() - static_cast<std::ptrdiff_t>(most));
  return table;
}

Result<std::string> RunPlot(const Run& run, const TerminalStyle& style) {
  if (run.periods.empty()) {
    return Fail(ErrorCode::kInvalidArgument, run.id, "has no finished period", "try again later");
  }
  const auto& periods = run.periods;
  const ledger::CarbonSoFar so_far = ledger::CarbonSoFarOf(run);
  std::string text = fmt::format("{} to {} UTC\n", MinuteText(run.begin.start), MinuteText(run.last()));
  const auto add = [&](std::string_view label, const std::string& unit, const std::vector<double>& values) {
    const auto line = LabelledSparkline(label, values, unit, style);
    text += line ? *line + "\n" : fmt::format("{}: unknown\n", label);
  };
  add("level", run.begin.level_unit, Sampled(run, [&](std::size_t i) { return periods[i].level; }));
  add("signal", "g/kWh", Sampled(run, [&](std::size_t i) { return periods[i].carbon_g_per_kwh.value_or(kMissing); }));
  add("power", "W", Sampled(run, [&](std::size_t i) { return periods[i].mean_power().value; }));
  add("speed", run.begin.step_name + "/s", Sampled(run, [&](std::size_t i) { return periods[i].mean_steps_per_s(); }));
  add("carbon", "g", Sampled(run, [&](std::size_t i) { return so_far.run[i].value; }));
  add("default", "g", Sampled(run, [&](std::size_t i) { return so_far.at_default_g[i].value; }));
  return text;
}

}  // namespace heliostat::report
