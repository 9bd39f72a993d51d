#include "heliostat/signals/signal/fill.h"

#include <fmt/format.h>

#include "heliostat/signals/signal/climatology.h"

namespace heliostat::signal {
namespace {

// A run of missing values [first, last).
struct Gap {
  std::size_t first;
  std::size_t last;
};

std::vector<Gap> GapsOf(const std::vector<double>& values) {
  std::vector<Gap> gaps;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!IsMissing(values[i])) continue;
    if (!gaps.empty() && gaps.back().last == i) {
      ++gaps.back().last;
    } else {
      gaps.push_back({i, i + 1});
    }
  }
  return gaps;
}

void FillLinearly(std::vector<double>& values, const Gap& gap) {
  if (gap.first == 0 || gap.last == values.size()) return;
  const double before = values[gap.first - 1];
  const double after = values[gap.last];
  const auto steps = static_cast<double>(gap.last - gap.first + 1);
  for (std::size_t i = gap.first; i < gap.last; ++i) {
    values[i] = before + (after - before) * static_cast<double>(i - gap.first + 1) / steps;
  }
}

}  // namespace

Result<FillRule> ParseFillRule(std::string_view name) {
  if (name == "hold") return FillRule::kHold;
  if (name == "linear") return FillRule::kLinear;
  if (name == "yesterday") return FillRule::kYesterday;
  if (name == "typical") return FillRule::kTypical;
  return Fail(ErrorCode::kInvalidArgument, "fill rule", fmt::format("'{}' is not known", Printable(name, 40)),
              "one of hold, linear, yesterday, typical");
}

StepSeries Fill(const StepSeries& series, FillRule rule, std::optional<Duration> longest_gap) {
  std::vector<double> values = series.values();
  const auto typical = Climatology::FromHistory(series);
  constexpr Duration kDay{86400};
  const bool has_yesterday = kDay % series.step() == Duration{0};
  const auto day = static_cast<std::size_t>(kDay / series.step());
  for (const Gap& gap : GapsOf(series.values())) {
    if (longest_gap && series.step() * static_cast<std::int64_t>(gap.last - gap.first) > *longest_gap) continue;
    if (rule == FillRule::kLinear) FillLinearly(values, gap);
    for (std::size_t i = gap.first; i < gap.last; ++i) {
      if (rule == FillRule::kHold && gap.first > 0) values[i] = values[gap.first - 1];
      if (rule == FillRule::kYesterday && has_yesterday && i >= day) values[i] = values[i - day];
      if (rule == FillRule::kTypical && typical) values[i] = typical->At(series.TimeOf(i));
    }
  }
  return *StepSeries::Make(series.start(), series.step(), std::move(values));
}

}  // namespace heliostat::signal
