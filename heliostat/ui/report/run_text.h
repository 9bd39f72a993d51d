#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/node/ledger/bill.h"
#include "heliostat/ui/report/html.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::report {

// A run and its bill as text. `state` is "finished", "cut off": as ledger::StateText has it.

// "1.50 ± 0.03 kWh": the value and its 95 % bar, to the digits that mean something.
std::string EstimateText(const ledger::Estimate& estimate, std::string_view unit);
// "saved 12.3 ± 1.1 % of carbon and took 4.2 ± 0.5 % longer": against the default; empty when nothing is known.
std::string VerdictText(const ledger::Bill& bill);
// Its end, program, time and place, signal: a line each.
std::vector<std::string> HeadLines(const ledger::Run& run, std::string_view state);
// This run beside both counterfactuals.
HtmlTable BillTable(const ledger::Run& run, const ledger::Bill& bill);
// What a reader has to know to believe the table.
std::vector<std::string> BillRemarks(const ledger::Run& run, const ledger::Bill& bill);
// All of these: what `heliostat run` prints at its end and `heliostat report` later.
std::string BillText(const ledger::Run& run, std::string_view state);

// Every decision and why; the last `most`.
HtmlTable DecisionTable(const ledger::Run& run, std::size_t most);
// Level, signal, power, speed and carbon as lines of blocks. An error when there are no periods.
Result<std::string> RunPlot(const ledger::Run& run, const TerminalStyle& style);

}  // namespace heliostat::report
