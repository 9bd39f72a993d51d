#pragma once

#include <cstddef>
#include <vector>

#include "heliostat/planning/decomposition/gpu_use.h"
#include "heliostat/planning/decomposition/job_search.h"
#include "heliostat/planning/decomposition/model.h"

namespace heliostat::decomposition {

// A plan in the making: the schedule of each job, the option of each service in each slot, their energy and cost. All
// of it is exact except the placement on single nodes: a group has as many nodes on as its GPUs in use need. Refers to
// the model, which must outlive it. Not thread-safe.
class DraftPlan {
 public:
  explicit DraftPlan(const Model& model);

  // Adds the schedule of a job that is not placed, or removes it.
  void Put(std::size_t job, const Schedule& schedule);
  void Remove(std::size_t job);
  const Schedule& ScheduleOf(std::size_t job) const { return schedules_[job]; }
  bool IsPlaced(std::size_t job) const { return !schedules_[job].pieces.empty(); }

  void SetOption(std::size_t service, std::size_t slot, std::size_t option);
  std::size_t OptionOf(std::size_t service, std::size_t slot) const { return options_[service][slot]; }

  // All schedules and options, to return to them later.
  struct Content {
    std::vector<Schedule> schedules;                // [job]
    std::vector<std::vector<std::size_t>> options;  // [service][slot]
  };
  Content content() const { return {schedules_, options_}; }
  void SetContent(const Content& content);

  // The value of the objective; after Smooth(), of the smoothed one.
  double Value() const;

  // Replaces the true cost by a smooth one. The cost of a slot has a kink where its renewable energy ends. A search
  // that moves one job at a time gets stuck at such kinks, because no single move lowers the cost. Smoothed, the price
  // rises gradually over `width` of the renewable energy on either side and equals `prices` at the kink. Width 0 means
  // the true cost. Whole nodes are kinks as well: with `whole` 0 nodes count in proportion to their GPUs in use, with 1
  // as whole nodes. GPUs that are short are the third kind. With `rents`, a group may be over-full, at a rent that
  // rises gradually over `width` of its GPUs on either side and equals `rents` (objective units per GPU-slot) where it
  // is exactly full. Without, a group cannot be over-full.
  using Rents = std::vector<std::vector<double>>;  // [group][slot]
  void Smooth(const std::vector<double>& prices, const Rents* rents, double width, double whole);
  // [slot]: the cost of one more kWh; after Smooth(), the slope at the present energy.
  std::vector<double> EnergyPrices() const;
  // The rent of GPUs that are short, per GPU-slot. Zeros unless smoothed with rents.
  Rents Shortage() const;
  double Kwh(std::size_t slot) const { return kwh_[slot]; }
  int NodesOn(std::size_t group, std::size_t slot) const { return nodes_[group][slot]; }
  int GpusInUse(std::size_t group, std::size_t slot) const { return use_[group][slot].peak(); }
  bool Fits() const;  // no group over-full, no slot over its cap

  // What a job would add in each slot of its window, including nodes that have to be turned on and wake-ups. `rents`
  // (may be null) adds a rent per GPU-second, [group][slot].
  void OffersFor(const JobModel& job, const Choice& choice, const Rents* rents, Offers& offers) const;

  // Sets the cheapest option of a service in a slot that fits, with everything else unchanged. When none fits it keeps
  // the former one; false when there is none.
  bool ImproveService(std::size_t service, std::size_t slot, const Rents* rents);

  const Model& model() const { return model_; }

 private:
  void Apply(std::size_t job, const Schedule& schedule, int sign);
  void Refresh(std::size_t group, std::size_t slot);
  void Refresh(std::size_t group, const Schedule& schedule);
  void SetBends(const std::vector<double>& prices, const Rents* rents, double width);
  void OfferTime(const GpuUse& use, const SlotWindow& window, int peak, int free, Offer& offer) const;
  double RentOf(std::size_t group, std::size_t slot, int workers, double price, const Rents* rents) const;
  void Recount(std::size_t slot);
  double SlotCost(std::size_t slot, double kwh) const;
  double MarginalPrice(std::size_t slot, double more_kwh) const;
  double NodeCost(std::size_t group, std::size_t slot, int more) const;
  int NodesFor(std::size_t group, int gpus) const;
  int NodesBefore(std::size_t group, std::size_t slot) const;
  double ServiceCost(std::size_t service, std::size_t slot, std::size_t option) const;

  const Model& model_;
  std::vector<Schedule> schedules_;
  std::vector<std::vector<std::size_t>> options_;
  std::vector<std::vector<GpuUse>> use_;        // [group][slot]
  std::vector<std::vector<int>> nodes_;         // [group][slot]
  std::vector<std::vector<double>> gpu_slots_;  // [group][slot]: GPUs in use, averaged over the slot
  double whole_ = 1.0;
  std::vector<double> work_kwh_;  // [slot]: of jobs and services, beyond idle GPUs
  std::vector<double> kwh_;
  std::vector<double> slot_value_;  // [slot]: the cost of its energy and of GPUs that are short
  double worth_ = 0.0;
  // A price that rises linearly from 0 at `low` to `top` at `high`.
  struct Bend {
    double low = 0.0;
    double high = 0.0;
    double top = 0.0;

    double Price(double x) const;
    double Cost(double x) const;  // the integral
  };
  static Bend BendAt(double x, double price, double top, double rise);
  std::vector<Bend> bends_;                  // [slot]: of energy above the cheap price; empty: not smoothed
  std::vector<std::vector<Bend>> shortage_;  // [group][slot]; empty: no group may be over-full
  double overfull_ = 1.0;                    // the highest ratio of GPUs in use to GPUs of the group
};

inline constexpr std::size_t kNoOption = static_cast<std::size_t>(-1);

}  // namespace heliostat::decomposition
