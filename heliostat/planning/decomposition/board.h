#pragma once

#include <cstddef>
#include <vector>

#include "heliostat/planning/decomposition/gpu_use.h"
#include "heliostat/planning/decomposition/job_search.h"
#include "heliostat/planning/decomposition/model.h"

namespace heliostat::decomposition {

// A plan in the making: which schedule each job has, how each service is run, what that draws and costs. Keeps exact
// account of everything but the placement on single nodes; a group's nodes on are as many as its GPUs in use need.
class Board {
 public:
  explicit Board(const Model& model);

  // Adds (sign 1) or takes off (sign -1) a job's schedule.
  void Put(std::size_t job, const Schedule& schedule);
  void Remove(std::size_t job);
  const Schedule& ScheduleOf(std::size_t job) const { return schedules_[job]; }
  bool IsPlaced(std::size_t job) const { return !schedules_[job].pieces.empty(); }

  void SetOption(std::size_t service, std::size_t slot, std::size_t option);
  std::size_t OptionOf(std::size_t service, std::size_t slot) const { return options_[service][slot]; }

  // The objective, all of it. While smoothed, the smooth one.
  double Value() const;

  // A slot's cost bends where its renewable energy ends, and moving one job at a time gets stuck at such bends: nobody
  // gains by leaving, nobody can afford to come. Smoothed, the price rises gradually over `width` of the renewable
  // energy on either side, passing `prices` at the bend. Width 0: the true cost. Whole nodes are such bends as well:
  // `whole` 0 counts nodes by the GPU, as if they were always filled, 1 as they are.
  // GPUs that are short are a third kind: with `rents` the group may be over-full, at a rent that rises gradually over
  // `width` of its GPUs on either side and passes `rents` (objective units a GPU-slot) where it is just full; without,
  // over-full is impossible.
  using Rents = std::vector<std::vector<double>>;  // [group][slot]
  void Smooth(const std::vector<double>& prices, const Rents* rents, double width, double whole);
  // What one more kWh costs in each slot; smoothed, the slope at what is drawn now.
  std::vector<double> EnergyPrices() const;
  // The rent of GPUs that are short, a GPU-slot. Zeros unless smoothed with rents.
  Rents Shortage() const;
  double Kwh(std::size_t slot) const { return kwh_[slot]; }
  int NodesOn(std::size_t group, std::size_t slot) const { return nodes_[group][slot]; }
  int GpusInUse(std::size_t group, std::size_t slot) const { return use_[group][slot].peak(); }
  bool Fits() const;  // no group over-full, no slot over its cap

  // What a job would add in each slot of its window, nodes that have to be switched on and wake-ups included. `rents`
  // (may be null) adds [group][slot] the rent of GPUs that are short, a GPU-second.
  void OffersFor(const JobModel& job, const Choice& choice, const Rents* rents, Offers& offers) const;

  // The cheapest way to run a service in a slot, everything else as it is; false when none fits.
  bool ImproveService(std::size_t service, std::size_t slot, const Rents* rents);

  const Model& model() const { return model_; }

 private:
  void Apply(std::size_t job, const Schedule& schedule, int sign);
  void Refresh(std::size_t group, std::size_t slot);
  void Recount(std::size_t slot);
  double SlotCost(std::size_t slot, double kwh) const;
  double MarginalPrice(std::size_t slot, double more_kwh) const;
  double NodeCost(std::size_t group, std::size_t slot, int more) const;
  int NodesFor(std::size_t group, int gpus) const;
  double ServiceCost(std::size_t service, std::size_t slot, std::size_t option) const;

  const Model& model_;
  std::vector<Schedule> schedules_;
  std::vector<std::vector<std::size_t>> options_;
  std::vector<std::vector<GpuUse>> use_;        // [group][slot]
  std::vector<std::vector<int>> nodes_;         // [group][slot]
  std::vector<std::vector<double>> gpu_slots_;  // [group][slot]: GPUs in use, averaged over the slot
  double whole_ = 1.0;
  std::vector<double> work_kwh_;  // of jobs and services beyond idling GPUs
  std::vector<double> kwh_;
  double worth_ = 0.0;
  // A price that rises from nothing at `low` to `top` at `high`.
  struct Bend {
    double low = 0.0;
    double high = 0.0;
    double top = 0.0;

    double Price(double x) const;
    double Cost(double x) const;  // the integral
  };
  static Bend BendAt(double x, double price, double top, double rise);
  std::vector<Bend> bends_;                  // of energy beyond the cheap price; empty: not smoothed
  std::vector<std::vector<Bend>> shortage_;  // [group][slot]; empty: full is full
  double overfull_ = 1.0;                    // GPUs in use over GPUs there are, at most
};

inline constexpr std::size_t kNoOption = static_cast<std::size_t>(-1);

}  // namespace heliostat::decomposition
