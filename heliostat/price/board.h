#pragma once

#include <cstddef>
#include <vector>

#include "heliostat/price/job_search.h"
#include "heliostat/price/model.h"

namespace heliostat::price {

// GPUs of a group in use through one slot, second by second.
class SlotUse {
 public:
  void Add(int begin, int end, int gpus, int step_s);
  // The most in use at any second of [begin, end).
  int Peak(int begin, int end) const;
  int peak() const { return peak_; }
  // How long, from the beginning (to the end) of [begin, end), `limit` is not exceeded.
  int Prefix(int begin, int end, int limit) const;
  int Suffix(int begin, int end, int limit) const;
  // The longest such stretch inside [begin, end), and where it begins.
  int Longest(int begin, int end, int limit, int& from) const;

 private:
  struct Change {
    int at = 0;     // second
    int gpus = 0;   // in use from there on
  };
  void Tidy();

  int whole_ = 0;                 // pieces that fill the slot
  std::vector<Change> changes_;   // of the others, by time; empty when there are none
  int peak_ = 0;
};

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

  // The objective, all of it.
  double Value() const;
  double Kwh(std::size_t slot) const { return kwh_[slot]; }
  int NodesOn(std::size_t group, std::size_t slot) const { return nodes_[group][slot]; }
  int GpusInUse(std::size_t group, std::size_t slot) const { return use_[group][slot].peak(); }
  bool Fits() const;  // no group over-full, no slot over its cap

  // How an offer is priced. `share` 0: nodes by the GPU, as if they were always filled; 1: exactly what the job would
  // add now, whole nodes and wake-ups. `rents` adds [group][slot] the rent of GPUs that are short, a GPU-second.
  struct Pricing {
    double share = 1.0;
    const std::vector<std::vector<double>>* rents = nullptr;
  };
  void OffersFor(const JobModel& job, const Choice& choice, const Pricing& pricing, Offers& offers) const;

  // The cheapest way to run a service in a slot, everything else as it is; false when none fits.
  bool ImproveService(std::size_t service, std::size_t slot, const Pricing& pricing);

  const Model& model() const { return model_; }

 private:
  void Apply(std::size_t job, const Schedule& schedule, int sign);
  void Refresh(std::size_t group, std::size_t slot);
  void Recount(std::size_t slot);
  double MarginalPrice(std::size_t slot, double more_kwh) const;
  double NodeCost(std::size_t group, std::size_t slot, int more) const;
  int NodesFor(std::size_t group, int gpus) const;
  double ServiceCost(std::size_t service, std::size_t slot, std::size_t option) const;

  const Model& model_;
  std::vector<Schedule> schedules_;
  std::vector<std::vector<std::size_t>> options_;
  std::vector<std::vector<SlotUse>> use_;    // [group][slot]
  std::vector<std::vector<int>> nodes_;      // [group][slot]
  std::vector<double> work_kwh_;             // of jobs and services beyond idling GPUs
  std::vector<double> kwh_;
  double worth_ = 0.0;
};

inline constexpr std::size_t kNoOption = static_cast<std::size_t>(-1);

}  // namespace heliostat::price
