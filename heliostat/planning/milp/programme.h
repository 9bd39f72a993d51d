#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "heliostat/model/serving/options.h"
#include "heliostat/planning/milp/linear.h"
#include "heliostat/planning/plan/objective.h"

namespace heliostat::milp {

// Hours of a slot in which a job runs at a point.
struct PointColumn {
  std::size_t point = 0;
  int column = 0;
};

// A job with so many workers in a slot.
struct WorkerColumns {
  int workers = 0;
  int used = -1;   // 1 where it makes progress; -1 where nothing hangs on it
  int begun = -1;  // 1 where it makes progress and did not in the slot before; only for jobs in one piece
  std::vector<PointColumn> useful;
  // Hours without progress: resuming, at the point of least power, and, where drawing energy may pay, wasting.
  std::vector<PointColumn> lost;
};

struct SlotColumns {
  std::size_t slot = 0;
  Interval available;  // the slot's part inside the job's window
  std::vector<WorkerColumns> workers;
};

struct GroupColumns {
  std::size_t group = 0;
  int chosen = 0;
  std::vector<SlotColumns> slots;
};

struct JobColumns {
  bool required = false;  // it has to be finished
  std::vector<GroupColumns> groups;
  std::vector<Term> done;  // share of the job's samples
};

struct ServiceColumns {
  std::vector<std::vector<serving::ServingOption>> options;  // one list a slot
  std::vector<std::vector<int>> columns;
};

// What one slot draws.
struct SlotEnergy {
  int facility = -1;  // kWh
  int grid = -1;      // kWh; -1 where it is all of facility, or nothing
  int on_grid = -1;   // 1 where on-site power is not enough; only where that had to be said
  double renewable_kwh = 0.0;
  bool never_grid = false;  // on-site power covers the most there can be
};

// The problem in hours, kW, kWh, kg and shares of jobs.
//
// Every plan that the contract allows is a solution of no greater value; not the reverse: GPU time is counted by the
// slot, a job that stops and goes on inside one slot or in two that adjoin pays nothing for it, nodes are counted and
// not told apart, and headroom is taken from the slot's best end. docs/decisions/0042-cbc-exact-planner.md.
struct Programme {
  Linear linear;
  std::vector<JobColumns> jobs;
  std::vector<ServiceColumns> services;
  std::vector<std::vector<int>> nodes;  // [group][slot]
  std::vector<SlotEnergy> slots;
  int carbon_row = -1;
  int performance_row = -1;  // less the constant part of performance
};

// Nothing when it is plain that no plan exists: a service without an option, a job that must be done but can never run.
std::optional<Programme> Build(const plan::Problem& problem);

// The plan in whole-number columns, to begin from.
std::vector<std::pair<int, double>> WholePart(const plan::Problem& problem, const Programme& programme,
                                              const plan::Plan& plan);

// Whether the job has to be finished.
bool IsRequired(const plan::Problem& problem, const scenario::Job& job);

// Whether `used` columns are needed: something is to pay for starting, or the job must not stop, or it is larger than a
// node so that a moment of it needs several.
bool CountsUse(const scenario::Job& job, int workers, const scenario::Group& group);

// Whether drawing a kWh more in the slot could lower the value or a limited sum.
bool EnergyMayPay(const plan::Problem& problem, std::size_t slot);

// Grid and on-site power are not used in the order of their worth, so that it takes a whole number to say which is.
bool NeedsOnGrid(const plan::Problem& problem, std::size_t slot);

// Objective units that a kWh more costs in the slot, from the grid or from on-site power.
double MarginalWorth(const plan::Problem& problem, std::size_t slot, bool on_grid);

// Slots that touch the job's window: [first, last).
std::pair<std::size_t, std::size_t> SlotsOf(const scenario::Scenario& scenario, const scenario::Job& job);

}  // namespace heliostat::milp
