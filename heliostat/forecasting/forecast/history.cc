#include "heliostat/forecasting/forecast/history.h"

#include <algorithm>

#include "heliostat/base/core/time.h"

namespace heliostat::forecast {
namespace {

Result<signal::Signal> Cut(const signal::Signal& signal, const Interval& span) {
  auto series = signal.series.Slice(span.Intersect(signal.series.span()));
  if (!series) return Propagate(series);
  return signal::Signal{signal.name, signal.meaning, std::move(*series)};
}

// Forecasts can begin later than the target; before that the result is one missing value.
Result<signal::StepSeries> CutOrMissing(const signal::StepSeries& series, const Interval& span) {
  const Interval common = span.Intersect(series.span());
  if (common.empty()) return signal::StepSeries::Make(span.begin, series.step(), {signal::Missing()});
  return series.Slice(common);
}

Result<Issued> CutIssued(const Issued& issued, const Interval& span) {
  const Duration step = issued.signal.series.step();
  Issued kept{issued.signal, {}};
  Interval known = span;
  if (issued.runs.empty()) {
    // Values with a lead of `lead` are known up to `lead` after the origin.
    known.end += issued.signal.meaning.lead.value_or(Duration{}) / step * step;
  }
  // With several runs the series has the newest value per time, which after the origin can be of a later run.
  auto series = CutOrMissing(issued.signal.series, known);
  if (!series) return Propagate(series);
  kept.signal.series = std::move(*series);
  for (const auto& run : issued.runs) {
    if (run.issued <= span.end) kept.runs.push_back(run);
  }
  return kept;
}

Result<History> Within(const History& all, const Interval& span) {
  auto target = Cut(all.target, span);
  if (!target) return Propagate(target);
  History cut{std::move(*target), {}, {}};
  for (const auto& source : all.sources) {
    auto part = Cut(source, span);
    if (!part) return Propagate(part);
    cut.sources.push_back(std::move(*part));
  }
  for (const auto& issued : all.issued) {
    auto part = CutIssued(issued, span);
    if (!part) return Propagate(part);
    cut.issued.push_back(std::move(*part));
  }
  return cut;
}

}  // namespace

Result<History> Before(const History& all, Instant origin) {
  return Within(all, {all.target.series.start(), std::min(origin, all.end())});
}

Result<History> Newest(const History& all, Duration length) {
  const Duration whole = length / all.step() * all.step();
  return Within(all, {std::max(all.target.series.start(), all.end() - whole), all.end()});
}

}  // namespace heliostat::forecast
