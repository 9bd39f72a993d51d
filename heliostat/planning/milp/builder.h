#pragma once

#include <vector>

#include "heliostat/planning/milp/points.h"
#include "heliostat/planning/milp/programme.h"

namespace heliostat::milp {

inline constexpr double kHour = 3600.0;
// A job is done at this share of its samples, as in the plan layer.
inline constexpr double kDone = 1.0 - 1e-6;

// Builds the programme: collects, per slot, the energy and GPUs of jobs and services until the rows of a slot can be
// written. Call the functions in the order of their declaration. Refers to the problem, which must outlive it. Not
// thread-safe.
class Builder {
 public:
  explicit Builder(const plan::Problem& problem);

  bool AddJobs();      // false: a required job can never run
  bool AddServices();  // false: a service has no option in a slot
  void AddNodes();
  void AddEnergy();
  void AddLimits();
  Programme Take() { return std::move(programme_); }

 private:
  bool AddJob(std::size_t job);
  void AddDone(const JobColumns& columns);
  GroupColumns AddGroup(std::size_t job, std::size_t group, bool required);
  SlotColumns AddSlot(std::size_t job, const GroupColumns& where, std::size_t slot,
                      const std::vector<WorkerChoice>& choices);
  WorkerColumns AddWorkers(std::size_t job, const GroupColumns& where, const SlotColumns& when,
                           const WorkerChoice& choice);
  void AddStarts(std::size_t job, const GroupColumns& where);
  void AddPiece(const GroupColumns& where);
  void AddJobPerformance(std::size_t job, const JobColumns& columns);
  void AddJobHeadroom(std::size_t job, const JobColumns& columns);
  void AddServiceSlot(std::size_t service, std::size_t slot, double requests, ServiceColumns& columns);
  void AddSlotEnergy(std::size_t slot);
  void AddOnGrid(SlotEnergy& energy, double most_kwh);
  void AddPerformance(int column, double factor);
  double MostEnergyKwh() const;
  bool performance_counts() const {
    return problem_.weights.performance != 0.0 || problem_.limits.performance_floor.has_value();
  }
  std::vector<Term>& EnergyOf(std::size_t slot) { return it_kwh_[slot]; }
  std::vector<Term>& GpuHoursOf(std::size_t group, std::size_t slot) { return gpu_hours_[group][slot]; }

  const plan::Problem& problem_;
  const scenario::Scenario& scenario_;
  double step_h_;
  bool slower_too_ = false;
  Programme programme_;
  std::vector<std::vector<Term>> it_kwh_;                  // [slot]
  std::vector<double> it_constant_kwh_;                    // [slot]
  std::vector<std::vector<std::vector<Term>>> gpu_hours_;  // [group][slot]
  // [group][slot]: sums, each of which is a lower bound of the nodes on.
  std::vector<std::vector<std::vector<std::vector<Term>>>> presences_;
  std::vector<Term> carbon_kg_;
  std::vector<Term> performance_;
  double performance_constant_ = 0.0;
};

}  // namespace heliostat::milp
