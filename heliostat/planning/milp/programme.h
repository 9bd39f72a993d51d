#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "heliostat/model/serving/options.h"
#include "heliostat/planning/milp/linear.h"
#include "heliostat/planning/plan/objective.h"

namespace heliostat::milp {

// A column: the hours of a slot in which a job runs at a point.
struct PointColumn {
  std::size_t point = 0;
  int column = 0;
};

// The columns of a job with one number of workers in a slot.
struct WorkerColumns {
  int workers = 0;
  int used = -1;   // column: 1 where it makes progress; -1: not needed
  int begun = -1;  // column: 1 where progress begins; only for jobs that are not preemptible
  std::vector<PointColumn> useful;
  // Hours without progress: resuming at the point of least power and, where prices may be negative, use of energy
  // without progress.
  std::vector<PointColumn> lost;
};

// The columns of a job in one slot.
struct SlotColumns {
  std::size_t slot = 0;
  Interval available;  // the slot's part inside the job's window
  std::vector<WorkerColumns> workers;
};

// The columns of a job in one group.
struct GroupColumns {
  std::size_t group = 0;
  int chosen = 0;  // column: 1 if the job runs in this group
  std::vector<SlotColumns> slots;
};

// The columns of a job.
struct JobColumns {
  bool required = false;  // it must be done
  std::vector<GroupColumns> groups;
  std::vector<Term> done;  // share of the job's samples
};

// The columns of a service: one per option and slot.
struct ServiceColumns {
  std::vector<std::vector<serving::ServingOption>> options;  // one list per slot
  std::vector<std::vector<int>> columns;
};

// The energy columns of one slot.
struct SlotEnergy {
  int facility = -1;  // kWh
  int grid = -1;      // kWh; -1 where it is all of facility, or 0
  int on_grid = -1;   // 1 where on-site power is not enough; -1: not needed
  double renewable_kwh = 0.0;
  bool never_grid = false;  // on-site power covers the highest possible use
};

// The problem as a linear programme, in hours, kW, kWh, kg and shares of jobs.
//
// It is a relaxation: every plan that docs/contract.md allows is a solution with no greater value, but not the reverse.
// GPU time counts per slot; a job that stops and continues inside one slot or two adjoining ones pays nothing for it;
// nodes are counted, not distinguished; and headroom is that of the best end of a slot. See
// docs/decisions/0042-cbc-exact-planner.md.
struct Programme {
  Linear linear;
  std::vector<JobColumns> jobs;
  std::vector<ServiceColumns> services;
  std::vector<std::vector<int>> nodes;  // [group][slot]
  std::vector<SlotEnergy> slots;
  int carbon_row = -1;
  int performance_row = -1;  // without the constant part of performance
};

// Nothing when it is obvious that no plan exists: a service without an option, or a required job that can never run.
std::optional<Programme> Build(const plan::Problem& problem);

// The integer columns of a plan, to begin from.
std::vector<std::pair<int, double>> WholePart(const plan::Problem& problem, const Programme& programme,
                                              const plan::Plan& plan);

// Whether the job must be done.
bool IsRequired(const plan::Problem& problem, const scenario::Job& job);

// Whether `used` columns are needed: a start has a cost, or the job must not stop, or it is larger than a node and
// always needs several.
bool CountsUse(const scenario::Job& job, int workers, const scenario::Group& group);

// Whether one more kWh in the slot could lower the value or a limited sum.
bool EnergyMayPay(const plan::Problem& problem, std::size_t slot);

// Whether the slot needs the integer column `on_grid`: on-site power is used first although power from the grid costs
// less, or emits less under a carbon budget.
bool NeedsOnGrid(const plan::Problem& problem, std::size_t slot);

// The cost of one more kWh in the slot, from the grid or from on-site power, in objective units.
double MarginalWorth(const plan::Problem& problem, std::size_t slot, bool on_grid);

// Slots that touch the job's window: [first, last).
std::pair<std::size_t, std::size_t> SlotsOf(const scenario::Scenario& scenario, const scenario::Job& job);

}  // namespace heliostat::milp
