#include "heliostat/control/sim/earlier_weeks.h"

#include <fmt/format.h>

#include <algorithm>

namespace heliostat::sim {
namespace {

using Series = std::optional<signal::StepSeries>;

Result<std::vector<double>> PerSlot(const Series& series, const scenario::Scenario& moved, const char* name) {
  const auto unknown = [&] {
    return Fail(ErrorCode::kInvalidArgument, "weeks",
                fmt::format("the scenario's files do not have the {} from {} to {}", name, FormatInstant(moved.start),
                            FormatInstant(moved.end())),
                "fewer weeks, or signal files that begin earlier");
  };
  if (!series) return unknown();
  std::vector<double> values;
  for (std::size_t t = 0; t < moved.slots; ++t) {
    const auto mean = series->Mean(moved.SlotSpan(t));
    if (!mean) return unknown();
    values.push_back(*mean);
  }
  return values;
}

// The part before `end`; nothing when there is none.
Series Before(const Series& series, Instant end) {
  if (!series || series->start() >= end) return std::nullopt;
  const auto count =
      std::min<std::int64_t>(static_cast<std::int64_t>(series->size()), (end - series->start()) / series->step());
  if (count == 0) return std::nullopt;
  const auto& values = series->values();
  const auto part = signal::StepSeries::Make(series->start(), series->step(), {values.begin(), values.begin() + count});
  return part ? Series(*part) : std::nullopt;
}

Status MoveSignals(const scenario::Past& past, scenario::Scenario& moved) {
  const auto carbon = PerSlot(past.carbon, moved, "carbon intensity");
  if (!carbon) return Propagate(carbon);
  for (std::size_t t = 0; t < moved.slots; ++t) moved.carbon[t] = GramsPerKwh((*carbon)[t]);
  if (!moved.price_per_kwh.empty()) {
    auto price = PerSlot(past.price, moved, "price");
    if (!price) return Propagate(price);
    moved.price_per_kwh = std::move(*price);
  }
  if (std::ranges::all_of(moved.renewable, [](Watts power) { return power.value == 0.0; })) return {};
  const auto renewable = PerSlot(past.renewable, moved, "on-site power");
  if (!renewable) return Propagate(renewable);
  for (std::size_t t = 0; t < moved.slots; ++t) moved.renewable[t] = Kilowatts((*renewable)[t]);
  return {};
}

}  // namespace

Result<MovedScenario> MovedBack(const scenario::Scenario& scenario, const scenario::Past& past, int weeks) {
  const Duration back = std::chrono::weeks{weeks};
  MovedScenario result{scenario, {}};
  scenario::Scenario& moved = result.scenario;
  moved.start -= back;
  for (scenario::Job& job : moved.jobs) {
    job.submit -= back;
    if (job.deadline) *job.deadline -= back;
    if (!job.recorded) continue;
    for (scenario::RecordedRun& run : job.recorded->runs) run.span = {run.span.begin - back, run.span.end - back};
  }
  if (const auto bad = MoveSignals(past, moved); !bad) return Propagate(bad);
  result.past = {
      Before(past.carbon, moved.start), Before(past.renewable, moved.start), Before(past.price, moved.start), {}};
  for (std::size_t s = 0; s < past.requests.size(); ++s) {
    if (auto rates = PerSlot(past.requests[s], moved, "rates")) moved.services[s].requests_per_s = std::move(*rates);
    result.past.requests.push_back(Before(past.requests[s], moved.start));
  }
  return result;
}

}  // namespace heliostat::sim
