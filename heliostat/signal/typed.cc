#include "heliostat/signal/typed.h"

#include <fmt/format.h>

namespace heliostat::signal {
namespace {

Status RefuseOtherKind(const Signal& signal, Kind wanted) {
  if (signal.meaning.kind == wanted) return {};
  return Fail(ErrorCode::kInvalidArgument, fmt::format("column '{}'", signal.name),
              fmt::format("is {} in {}", NameOf(signal.meaning.kind), UnitText(signal.meaning)),
              fmt::format("must be {}", NameOf(wanted)));
}

// The signal's values in the kind's canonical unit, times `si_of_canonical`.
StepSeries InSi(const Signal& signal, double si_of_canonical) {
  return signal.series.Scaled(ToCanonical(signal.meaning.kind, signal.meaning.unit).factor * si_of_canonical);
}

}  // namespace

Result<EnergyPrice> PriceSeries::At(Instant t) const {
  const auto value = series_.At(t);
  if (!value) return Propagate(value);
  return EnergyPrice{*value, currency_};
}

Result<EnergyPrice> PriceSeries::Mean(const Interval& interval) const {
  const auto value = series_.Mean(interval);
  if (!value) return Propagate(value);
  return EnergyPrice{*value, currency_};
}

Result<CarbonSeries> AsCarbonIntensity(const Signal& signal) {
  if (const auto bad = RefuseOtherKind(signal, Kind::kCarbonIntensity); !bad) return Propagate(bad);
  return CarbonSeries(InSi(signal, GramsPerKwh(1).value));
}

Result<PowerSeries> AsPower(const Signal& signal) {
  if (const auto bad = RefuseOtherKind(signal, Kind::kPower); !bad) return Propagate(bad);
  return PowerSeries(InSi(signal, Kilowatts(1).value));
}

Result<PriceSeries> AsPrice(const Signal& signal) {
  if (const auto bad = RefuseOtherKind(signal, Kind::kPrice); !bad) return Propagate(bad);
  if (!signal.meaning.currency) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("column '{}'", signal.name), "is a price without a currency",
                "name it with --currency");
  }
  return PriceSeries(InSi(signal, 1 / kJoulesPerKwh), *signal.meaning.currency);
}

}  // namespace heliostat::signal
