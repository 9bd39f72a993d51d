#include "heliostat/signals/synthetic/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "heliostat/base/core/check.h"
#include "heliostat/signals/synthetic/zone_model.h"
#include "heliostat/signals/synthetic/zone_parameters.h"

namespace heliostat::synthetic {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;

constexpr Instant kEpoch = sys_days{std::chrono::year{2000} / 1 / 1};
constexpr Interval kEver{sys_days{std::chrono::year{1900} / 1 / 1}, sys_days{std::chrono::year{2300} / 1 / 1}};
constexpr Duration kShortestStep = 1min;
constexpr Duration kLongestStep = 24h;
// Longer requests are made in pieces of this length, which keeps memory small and in cache.
constexpr Duration kPiece = 24h * 32;

std::int64_t FloorDivide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

std::vector<ZoneFacts> MakeFacts() {
  std::vector<ZoneFacts> facts;
  for (const ZoneParameters& zone : AllZoneParameters()) {
    const auto currency = Currency::Parse({zone.currency.data(), zone.currency.size()});
    Check(currency.has_value(), "a built-in zone has no valid currency");
    facts.push_back({zone.name, zone.description, zone.stands_for, zone.basis, *currency, zone.latitude, zone.longitude,
                     zone.utc_offset_hours});
  }
  return facts;
}

std::string ZoneNames() {
  std::vector<std::string_view> names;
  for (const ZoneFacts& zone : Zones()) names.push_back(zone.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Status Refuse(std::string_view what, std::string value, std::string allowed) {
  return Fail(ErrorCode::kInvalidArgument, "synthetic zone", fmt::format("{} is {}", what, value), std::move(allowed));
}

Status Validate(const ZoneRequest& request) {
  const Interval& asked = request.interval;
  if (request.step < kShortestStep || request.step > kLongestStep) {
    return Refuse("step", FormatDuration(request.step), "must be from 1 min to 1 d");
  }
  if (asked.empty() || !kEver.Contains(asked)) {
    return Refuse("interval", fmt::format("[{}, {})", FormatInstant(asked.begin), FormatInstant(asked.end)),
                  "must be longer than zero and between 1900 and 2300");
  }
  if (asked.length() % request.step != 0s) {
    return Refuse("interval", FormatDuration(asked.length()),
                  fmt::format("must be a whole number of steps of {}", FormatDuration(request.step)));
  }
  const bool is_plant = request.trace == TraceKind::kSolar || request.trace == TraceKind::kWind;
  if (request.capacity && !is_plant) return Refuse("capacity", "given for a grid signal", "only sun and wind have one");
  if (request.capacity && !(request.capacity->value >= 0 && request.capacity->value < 1e15)) {
    return Refuse("capacity", fmt::format("{} W", request.capacity->value), "must be from 0 to 1e15 W");
  }
  return {};
}

// Means over consecutive steps of a signal that holds each value of the grid of the model for `cell`.
class StepMeans {
 public:
  StepMeans(const ZoneModel& model, TraceKind trace, Duration step)
      : model_(model), trace_(trace), step_(step), cell_(trace == TraceKind::kPrice ? 3600 : ZoneModel::kSlotSeconds) {}

  void Append(const Interval& piece, std::vector<double>& values) const {
    const std::int64_t begin = (piece.begin - kEpoch).count();
    const std::int64_t end = (piece.end - kEpoch).count();
    const std::int64_t first = FloorDivide(begin, cell_);
    const auto cells = Cells({first, static_cast<std::size_t>(FloorDivide(end - 1, cell_) - first + 1)});
    for (std::int64_t t = begin; t < end; t += step_.count()) {
      values.push_back(Mean(cells, first, t, t + step_.count()));
    }
  }

 private:
  std::vector<double> Cells(GridRange range) const {
    switch (trace_) {
      case TraceKind::kCarbon:
        return model_.CarbonIntensity(range);
      case TraceKind::kSolar:
        return model_.SolarCapacityFactor(range);
      case TraceKind::kWind:
        return model_.WindCapacityFactor(range);
      case TraceKind::kPrice:
        return model_.PricePerKwh(range);
    }
    return {};
  }

  // The mean over [begin, end) in seconds since the epoch; cells[0] is cell number `first`.
  double Mean(const std::vector<double>& cells, std::int64_t first, std::int64_t begin, std::int64_t end) const {
    const std::int64_t from = FloorDivide(begin, cell_);
    const std::int64_t last = FloorDivide(end - 1, cell_);
    if (from == last) return cells[static_cast<std::size_t>(from - first)];
    double sum = 0;
    for (std::int64_t cell = from; cell <= last; ++cell) {
      const std::int64_t covered = std::min(end, (cell + 1) * cell_) - std::max(begin, cell * cell_);
      sum += cells[static_cast<std::size_t>(cell - first)] * static_cast<double>(covered);
    }
    return sum / static_cast<double>(end - begin);
  }

  const ZoneModel& model_;
  TraceKind trace_;
  Duration step_;
  std::int64_t cell_;  // seconds
};

signal::Meaning MeaningOf(const ZoneRequest& request, const ZoneFacts& zone) {
  signal::Meaning meaning;
  meaning.zone = zone.name;
  meaning.source = "heliostat synthetic zones";
  meaning.nature = signal::Nature::kSynthetic;
  meaning.notes = {fmt::format("synthetic, not measured; seed {}", request.seed), std::string(zone.basis)};
  switch (request.trace) {
    case TraceKind::kCarbon:
      meaning.kind = signal::Kind::kCarbonIntensity;
      meaning.unit = signal::Unit::kGramsPerKwh;
      meaning.basis = signal::Basis::kLifecycle;
      meaning.scope = signal::Scope::kAverage;
      break;
    case TraceKind::kSolar:
    case TraceKind::kWind:
      meaning.kind = request.capacity ? signal::Kind::kPower : signal::Kind::kCapacityFactor;
      meaning.unit = request.capacity ? signal::Unit::kKilowatt : signal::Unit::kPerUnit;
      break;
    case TraceKind::kPrice:
      meaning.kind = signal::Kind::kPrice;
      meaning.unit = signal::Unit::kPerKwh;
      meaning.currency = zone.currency;
      break;
  }
  return meaning;
}

std::string NameOf(const ZoneRequest& request) {
  switch (request.trace) {
    case TraceKind::kCarbon:
      return "carbon_g_per_kwh";
    case TraceKind::kSolar:
      return request.capacity ? "solar_kw" : "solar_capacity_factor";
    case TraceKind::kWind:
      return request.capacity ? "wind_kw" : "wind_capacity_factor";
    case TraceKind::kPrice:
      return "price_per_kwh";
  }
  return {};
}

}  // namespace

std::span<const ZoneFacts> Zones() {
  static const std::vector<ZoneFacts> kFacts = MakeFacts();
  return kFacts;
}

Result<const ZoneFacts*> FindZone(std::string_view name) {
  const auto found = std::ranges::find(Zones(), name, &ZoneFacts::name);
  if (found != Zones().end()) return &*found;
  return Fail(ErrorCode::kNotFound, "synthetic zone", fmt::format("'{}' is not built in", Printable(name, 60)),
              fmt::format("one of {}", ZoneNames()));
}

Result<signal::Signal> Generate(const ZoneRequest& request) {
  const auto zone = FindZone(request.zone);
  if (!zone) return Propagate(zone);
  if (const auto bad = Validate(request); !bad) return Propagate(bad);

  const ZoneParameters& parameters = AllZoneParameters()[static_cast<std::size_t>(*zone - Zones().data())];
  const ZoneModel model(parameters, request.seed);
  const StepMeans means(model, request.trace, request.step);
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(request.interval.length() / request.step));
  const Duration piece = request.step * (kPiece / request.step);
  for (Instant t = request.interval.begin; t < request.interval.end; t += piece) {
    means.Append({t, std::min(t + piece, request.interval.end)}, values);
  }
  if (request.capacity) {
    for (double& value : values) value *= InKilowatts(*request.capacity);
  }
  auto series = signal::StepSeries::Make(request.interval.begin, request.step, std::move(values));
  if (!series) return Propagate(series);
  return signal::Signal{NameOf(request), MeaningOf(request, **zone), *std::move(series)};
}

}  // namespace heliostat::synthetic
