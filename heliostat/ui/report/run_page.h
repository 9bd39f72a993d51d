#pragma once

#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"
#include "heliostat/node/ledger/run.h"

namespace heliostat::report {

// A run as one page: its bill, level and signal, power, speed, carbon beside what it would have been, every decision
// and why, and notes. `state` as ledger::StateText has it.
Result<std::string> RunPage(const ledger::Run& run, std::string_view state);

}  // namespace heliostat::report
