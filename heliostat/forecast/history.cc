#include "heliostat/forecast/history.h"

#include <algorithm>

#include "heliostat/core/time.h"

namespace heliostat::forecast {
namespace {

Result<signal::Signal> Cut(const signal::Signal& signal, const Interval& span) {
  auto series = signal.series.Slice(span.Intersect(signal.series.span()));
  if (!series) return Propagate(series);
  return signal::Signal{signal.name, signal.meaning, std::move(*series)};
}

Result<Issued> CutIssued(const Issued& issued, const Interval& span) {
  Issued kept{issued.signal, {}};
  if (!issued.runs.empty()) {
    for (const auto& run : issued.runs) {
      if (run.issued <= span.end) kept.runs.push_back(run);
    }
    return kept;
  }
  // A value issued `lead` before its time is known up to `lead` past the origin.
  const Duration lead = issued.signal.meaning.lead.value_or(Duration{});
  auto series = issued.signal.series.Slice(
      Interval{span.begin, span.end + lead / issued.signal.series.step() * issued.signal.series.step()}.Intersect(
          issued.signal.series.span()));
  if (!series) return Propagate(series);
  kept.signal.series = std::move(*series);
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
