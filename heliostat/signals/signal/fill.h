#pragma once

#include <optional>
#include <string_view>

#include "heliostat/signals/signal/step_series.h"

namespace heliostat::signal {

// How missing values may be replaced. There is no default: the caller names one.
enum class FillRule {
  kHold,       // the last known value
  kLinear,     // a straight line between the known neighbours
  kYesterday,  // the value 24 hours earlier, filled or known
  kTypical,    // the mean of the same time of week in this series
};

// "hold", "linear", "yesterday", "typical".
Result<FillRule> ParseFillRule(std::string_view name);

// Fills gaps no longer than `longest_gap`. What a rule cannot answer (no
// neighbour, no day before) stays missing; missing() of the result tells.
StepSeries Fill(const StepSeries& series, FillRule rule, std::optional<Duration> longest_gap = std::nullopt);

}  // namespace heliostat::signal
