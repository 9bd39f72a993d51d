#pragma once

#include <optional>
#include <vector>

#include "heliostat/model/serving/options.h"
#include "heliostat/planning/admission/timetable.h"
#include "heliostat/planning/plan/objective.h"

namespace heliostat::admission {

// The jobs and services of a scenario on its GPUs, each job at full speed and as early as it can. Refers to its
// arguments, which must outlive it. Not thread-safe.
class Board {
 public:
  Board(const scenario::Scenario& scenario, const plan::Limits& limits);

  // Gives every service the fewest GPUs that keep its latency. False when there are too few.
  bool PutServices();
  // Puts a job in so that it is done by then, with the least GPU time. False when it does not fit.
  bool Put(std::size_t job, Instant by);
  // Puts a job in where it is done first. False when it cannot be done within the horizon.
  bool PutEarliest(std::size_t job);
  // The job must be in.
  Booking Remove(std::size_t job);
  void PutBack(std::size_t job, const Booking& booking);

  // Jobs that hold GPUs between the earliest start of this one and `by`.
  std::vector<std::size_t> Rivals(std::size_t job, Instant by) const;
  // The time at this share of the way from the earliest start of the job to `by`.
  Instant AnyTime(std::size_t job, Instant by, double share) const;
  // How far the job is from running at that time. The job must be in.
  Duration Distance(std::size_t job, Instant time) const;
  // Whether the job could be done by then if no other job ran.
  bool CouldAlone(std::size_t job, Instant by) const;
  double LeastGpuSeconds(std::size_t job) const { return gpu_seconds_[job]; }
  std::optional<Instant> FinishOf(std::size_t job) const;

  struct State {
    Timetable timetable;
    std::vector<std::optional<Booking>> bookings;
  };
  State Save() const { return {timetable_, bookings_}; }
  void Restore(const State& state);

  plan::Plan ToPlan() const;

 private:
  std::int64_t SecondOf(Instant time) const { return (time - scenario_.start).count(); }
  Request RequestOf(std::size_t job, Instant by) const;
  std::vector<std::vector<int>> NodesOn(const plan::Plan& plan) const;

  const scenario::Scenario& scenario_;
  const plan::Limits& limits_;
  std::vector<std::vector<Way>> ways_;  // [job], the least GPU time first
  std::vector<double> gpu_seconds_;     // [job]: of its best way
  Timetable empty_;                     // with services only
  Timetable timetable_;
  std::vector<std::optional<Booking>> bookings_;
  std::vector<std::vector<serving::ServingOption>> services_;  // [service][slot]
};

}  // namespace heliostat::admission
