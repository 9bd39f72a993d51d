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

// The same steps done otherwise, with standard errors.
//
// Errors come from the profile's. All periods are predicted by one curve, so their errors point the same way and are
// added as they are, for power and for speed apart; these two are measured apart and are joined as a root of squares.
// A sum that is linear in each period is also the only one that does not depend on how periods were cut.
struct Counterfactual {
  Estimate energy_j;
  Estimate carbon_g;
  Estimate cost;
  Estimate time_s;
  // What the run did better, in percent of this; negative: worse. Nothing where this is nothing.
  std::optional<Estimate> energy_saved_percent;
  std::optional<Estimate> carbon_saved_percent;
  std::optional<Estimate> cost_saved_percent;
  // How much longer the run took, in percent of this.
  std::optional<Estimate> slowdown_percent;
  // Share of the run's time that was compared with a prediction or was spent at this very level; the rest is compared
  // with itself.
  double known_share = 0.0;
  friend bool operator==(const Counterfactual&, const Counterfactual&) = default;
};

struct Bill {
  Totals run;
  double steps = 0.0;
  Joules uncharged_energy;  // at moments whose intensity is not known: not in the carbon
  Joules unpriced_energy;   // at moments without a price: not in the cost
  Seconds probing{};        // time spent at levels that were chosen to learn
  Seconds estimated{};      // time whose steps are an estimate from GPU counters
  // What the user would have had without us: the default level from the same start, so that the work is done sooner
  // and charged at the intensities of then.
  Counterfactual from_start;
  // Every period's steps at the default level at the very moment, and at the level of least energy: what the choice of
  // levels did, apart from when the work was done.
  Counterfactual at_default;
  Counterfactual at_optimum;
  friend bool operator==(const Bill&, const Bill&) = default;
};

// A function of the run's records alone: that of a prefix of them bills exactly its periods.
Bill BillOf(const Run& run);

// Half the width of the range that holds the truth 19 times of 20.
inline double BarOf(const Estimate& estimate) { return 1.96 * estimate.error; }

// The carbon of a run by the end of each of its periods, and as it would have been by then.
struct CarbonSoFar {
  std::vector<Grams> run;
  std::vector<Estimate> at_default_g;
  std::vector<Estimate> at_optimum_g;
};
CarbonSoFar CarbonSoFarOf(const Run& run);

// How carbon would have grown at the default level from the same start, until that would have been done.
struct CarbonAt {
  Seconds elapsed{};
  Grams carbon;
};
std::vector<CarbonAt> DefaultFromStart(const Run& run);

// What one period comes to.
Totals TotalsOf(const Period& period, const Begin& begin);

io::Json ToJson(const Bill& bill, const Begin& begin);

}  // namespace heliostat::ledger
