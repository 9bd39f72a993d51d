#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/node/ledger/run.h"

namespace heliostat::ledger {

// Energy, carbon, cost and time of a run, as docs/contract.md counts them: facility energy is PUE times what GPUs and
// node draw, carbon is energy times the intensity of its moment, cost is energy times the price of its moment.
struct Totals {
  Joules energy;
  Grams carbon;
  double cost = 0.0;  // in the run's currency
  Seconds time{};
  friend bool operator==(const Totals&, const Totals&) = default;
};

// What the same steps would have come to at other levels, with standard errors.
//
// The errors derive from those of the profile. One curve predicts all periods, so their errors are fully correlated and
// are added linearly, separately for power and for speed. Power and speed are measured independently, so their errors
// are combined as the root of the sum of squares. A linear sum does not depend on how periods were cut into parts.
struct Counterfactual {
  Estimate energy_j;
  Estimate carbon_g;
  Estimate cost;
  Estimate time_s;
  // What the run saved, in percent of this; negative: the run used more. Absent where this is 0.
  std::optional<Estimate> energy_saved_percent;
  std::optional<Estimate> carbon_saved_percent;
  std::optional<Estimate> cost_saved_percent;
  // How much longer the run took, in percent of this.
  std::optional<Estimate> slowdown_percent;
  // Share of the run's time that has a prediction or was spent at this level. The rest is compared with itself.
  double known_share = 0.0;
  friend bool operator==(const Counterfactual&, const Counterfactual&) = default;
};

// Energy, carbon and cost of a run, alongside what they would have been.
struct Bill {
  Totals run;
  double steps = 0.0;       // whose speed was known, as the counterfactuals count them
  double steps_done = 0.0;  // by the program's own count, where it has one
  Joules others;            // what other programs used of the same GPUs, not in `run`; before PUE
  Seconds shared{};         // time in which others used the GPUs too
  Joules uncharged_energy;  // at times without a known intensity: not in the carbon
  Joules unpriced_energy;   // at times without a price: not in the cost
  Seconds probing{};        // time spent at levels that were chosen to learn
  Seconds estimated{};      // time whose steps are an estimate from GPU counters
  // The run without Heliostat: the default level from the same start. The work ends sooner and is charged at the
  // intensities of those earlier times.
  Counterfactual from_start;
  // Each period's steps at the default level, and at the level of least energy, at the times when the run did them.
  // They show the effect of the levels, without that of the times.
  Counterfactual at_default;
  Counterfactual at_optimum;
  // Of a shadow: each period's steps at the level that it would have set. The run's saving against this is what it
  // would have cost, so see WouldHaveSaved().
  Counterfactual at_shadow;
  friend bool operator==(const Bill&, const Bill&) = default;
};

// Depends on the run's records alone. The bill of a prefix of the records covers exactly its periods.
Bill BillOf(const Run& run);

// What a shadow would have saved of the run's own carbon and energy, and how much longer it would have taken, in
// percent of the run. Absent when no level's speed was known, so that nothing can be estimated.
struct Shadow {
  Estimate carbon_saved_percent;
  Estimate energy_saved_percent;
  Estimate slowdown_percent;
  double known_share = 0.0;  // of the run's time
};
std::optional<Shadow> WouldHaveSaved(const Bill& bill);

// Half the width of the 95 % confidence interval.
inline double BarOf(const Estimate& estimate) { return 1.96 * estimate.error; }

// The cumulative carbon of a run at the end of each period, and what it would have been; one value per period.
struct CarbonSoFar {
  std::vector<Grams> run;
  std::vector<Estimate> at_default_g;
  std::vector<Estimate> at_optimum_g;
};
CarbonSoFar CarbonSoFarOf(const Run& run);

// A point of the cumulative carbon of a run. DefaultFromStart() returns that of the run at the default level from the
// same start, until its work is done.
struct CarbonAt {
  Seconds elapsed{};
  Grams carbon;
};
std::vector<CarbonAt> DefaultFromStart(const Run& run);

// Energy, carbon, cost and time of one period.
Totals TotalsOf(const Period& period, const Begin& begin);

io::Json ToJson(const Bill& bill, const Begin& begin);

}  // namespace heliostat::ledger
