#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "heliostat/control/loop/driver.h"
#include "heliostat/forecasting/live_signal/signal_source.h"

namespace heliostat::controller {

// The signals of a site. Null: there is none.
struct Signals {
  std::unique_ptr<live_signal::SignalSource> carbon;
  std::unique_ptr<live_signal::SignalSource> price;
  std::unique_ptr<live_signal::SignalSource> renewable;  // kW
  CarbonIntensity renewable_carbon;
  std::optional<Currency> currency;  // of the price
};

// The signals at present and ahead, for policies and accounts. A signal that is not known yet counts as 0. Not
// thread-safe.
class SignalOutlook final : public loop::MovingOutlook {
 public:
  // Slots are `step` long. Begins the signals.
  SignalOutlook(Signals signals, double pue, Duration step);

  void MoveTo(Instant now, std::size_t slot) override;
  // 48 hours.
  policy::Forecast Ahead() override;
  CarbonIntensity CarbonNow() const override;
  Watts RenewableNow() const override;
  std::optional<double> PriceNow() const override;
  CarbonIntensity DirtiestOfDay() const override;

  // Values of the present; nothing where the signal has none.
  std::optional<CarbonIntensity> carbon() const;
  // Values of a past moment or of the present, likewise.
  std::optional<CarbonIntensity> CarbonAt(Instant when) const;
  std::optional<double> PriceAt(Instant when) const;
  std::optional<Watts> RenewableAt(Instant when) const;
  // The supply of a slot: a past one as measured, the present one as known.
  account::Supply SupplyOf(const Interval& slot) const;
  // The mean over a span of the past: what one joule at the meter emits and costs, on-site energy left out.
  struct Rate {
    double carbon = 0.0;  // g per J
    double cost = 0.0;    // per J
  };
  Rate MeanOver(const Interval& span) const;
  // What is wrong with the signals, single lines.
  std::vector<std::string> Problems() const;

 private:
  Signals signals_;
  double pue_;
  Duration step_;
  Instant now_;
  std::vector<CarbonIntensity> carbon_ahead_;
  std::vector<Watts> renewable_ahead_;
  std::vector<double> price_ahead_;
};

}  // namespace heliostat::controller
