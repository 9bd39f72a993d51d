#pragma once

#include "heliostat/core/units.h"
#include "heliostat/signal/signal.h"

namespace heliostat::signal {

// A series whose numbers have their dimension. Made from a Signal of the right
// kind, whatever unit the file had.
template <typename Q>
class QuantitySeries {
 public:
  explicit QuantitySeries(StepSeries in_si) : series_(std::move(in_si)) {}

  Interval span() const { return series_.span(); }
  Result<Q> At(Instant t) const { return Wrap(series_.At(t)); }
  Result<Q> Mean(const Interval& interval) const { return Wrap(series_.Mean(interval)); }

 private:
  static Result<Q> Wrap(const Result<double>& value) {
    if (!value) return Propagate(value);
    return Q{*value};
  }
  StepSeries series_;  // in SI
};

using CarbonSeries = QuantitySeries<CarbonIntensity>;
using PowerSeries = QuantitySeries<Watts>;

// Prices of one currency.
class PriceSeries {
 public:
  PriceSeries(StepSeries per_joule, Currency currency) : series_(std::move(per_joule)), currency_(currency) {}

  Interval span() const { return series_.span(); }
  Currency currency() const { return currency_; }
  Result<EnergyPrice> At(Instant t) const;
  Result<EnergyPrice> Mean(const Interval& interval) const;

 private:
  StepSeries series_;
  Currency currency_;
};

// Each refuses a signal of another kind, and a price without a currency.
Result<CarbonSeries> AsCarbonIntensity(const Signal& signal);
Result<PowerSeries> AsPower(const Signal& signal);
Result<PriceSeries> AsPrice(const Signal& signal);

}  // namespace heliostat::signal
