#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/node/ledger/bill.h"
#include "heliostat/ui/report/html.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::report {

// A run and its bill as text. `state` comes from ledger::StateText: "finished", "cut off".

// "1.50 ± 0.03 kWh": the value and half the width of its 95 % interval, with the significant digits.
std::string EstimateText(const ledger::Estimate& estimate, std::string_view unit);
// "12.3 Wh", "0.21 mWh", "1.4 kWh"; "3.2 g": in the unit that is easy to read.
std::string EnergyText(Joules energy);
std::string CarbonText(Grams carbon);
// "996".
std::string StepsText(double steps);
// One sentence: what the run saved, what a shadow would have saved, or why there is nothing to compare.
std::string SummaryText(const ledger::Run& run, const ledger::Bill& bill);
// "saved 12.3 ± 1.1 % of carbon and took 4.2 ± 0.5 % longer": against the default setting; empty if it is unknown.
std::string VerdictText(const ledger::Bill& bill);
// Four lines: state; program; time, host and GPUs; knob, mode and signal.
std::vector<std::string> HeadLines(const ledger::Run& run, std::string_view state);
// This run compared with its counterfactuals, or alone where it changed nothing and nothing is known of other levels.
HtmlTable BillTable(const ledger::Run& run, const ledger::Bill& bill);
// Remarks on the accuracy of the table.
std::vector<std::string> BillRemarks(const ledger::Run& run, const ledger::Bill& bill);
// All of the above, as `heliostat run` prints it at its end and `heliostat report` later, with the table within
// `width`.
std::string BillText(const ledger::Run& run, std::string_view state, std::size_t width);

// The last `most` decisions and their reasons. `probes_as_one`: consecutive probes share a row, which has their number.
HtmlTable DecisionTable(const ledger::Run& run, std::size_t most, bool probes_as_one = false);
// Level, signal, power, speed and carbon as sparklines. Fails if there are no periods.
Result<std::string> RunPlot(const ledger::Run& run, const TerminalStyle& style);

}  // namespace heliostat::report
