#pragma once

#include <optional>

#include "heliostat/base/core/time.h"
#include "heliostat/base/io/json.h"
#include "heliostat/control/controller/signal_outlook.h"
#include "heliostat/model/account/energy_carbon_cost.h"

namespace heliostat::controller {

// A slot of the past. Longer than one where the controller was down meanwhile, shorter where it began or ends within.
struct PastSlot {
  Interval span;
  account::Balance was;
  std::optional<account::Balance> would_have_been;  // absent without a shadow
  double gpus_was = 0.0;                            // that had a job, on average of the looks
  std::optional<double> gpus_would_have_been;
  // As measured; absent where the signal has no value.
  std::optional<CarbonIntensity> carbon;
  std::optional<double> price_per_kwh;
  std::optional<Watts> renewable;
};

// Turns running totals into slots, one after another. Not thread-safe.
class SlotHistory {
 public:
  // As of a look: sums of all slots that have ended, and what runs from now on.
  struct Totals {
    Instant since;  // when they begin
    account::Balance was;
    std::optional<account::Balance> would_have_been;
    double gpus_was = 0.0;
    std::optional<double> gpus_would_have_been;
  };

  // A look at `now`, in the slot that begins at `open`. Returns the time since the last slot that has ended since the
  // last call, if any.
  std::optional<PastSlot> Look(Instant now, Instant open, const Totals& closed, const SignalOutlook& signals);
  // The present slot until now. `open` are its own balances so far.
  std::optional<PastSlot> Present(const Totals& open, const SignalOutlook& signals) const;
  // The totals begin anew.
  void Reset() { *this = SlotHistory(); }

  io::Json Keep() const;
  Status Restore(const io::Json& kept);

 private:
  PastSlot Between(Instant end, const account::Balance& was, const std::optional<account::Balance>& would,
                   const SignalOutlook& signals) const;
  void Run(Instant until);

  std::optional<Instant> begin_;  // of the present slot, or of the totals
  Instant looked_;
  Totals before_;             // at begin_
  double running_was_ = 0.0;  // since the last look
  double running_would_ = 0.0;
  double gpu_seconds_was_ = 0.0;  // since begin_
  double gpu_seconds_would_ = 0.0;
};

}  // namespace heliostat::controller
