#pragma once

#include <optional>
#include <string_view>

#include "heliostat/signals/signal/step_series.h"

namespace heliostat::signal {

// The rules that replace missing values. There is no default: the caller chooses one.
enum class FillRule {
  kHold,       // the last known value
  kLinear,     // a straight line between the known neighbours
  kYesterday,  // the value 24 hours earlier, filled or known
  kTypical,    // the mean of the same time of week in this series
};

// Accepts "hold", "linear", "yesterday" and "typical"; kInvalidArgument for other names.
Result<FillRule> ParseFillRule(std::string_view name);

// Fills gaps of at most `longest_gap`, or all gaps without it. A value stays missing where the rule has no source for
// it (no neighbour, no day before).
StepSeries Fill(const StepSeries& series, FillRule rule, std::optional<Duration> longest_gap = std::nullopt);

}  // namespace heliostat::signal
