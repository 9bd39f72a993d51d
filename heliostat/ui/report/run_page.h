#pragma once

#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"
#include "heliostat/node/ledger/run.h"
#include "heliostat/ui/report/html.h"

namespace heliostat::report {

// The page of a run as HTML: its verdict and bill, charts of level, signal, power, speed and carbon, every decision
// with its reason, and its notes. `state` comes from ledger::StateText.
Result<std::string> RunPage(const ledger::Run& run, std::string_view state, const MadeBy& made_by);

}  // namespace heliostat::report
