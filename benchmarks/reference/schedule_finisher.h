#pragma once

#include <limits>

#include "benchmarks/reference/schedule.h"

namespace heliostat::reference {

// Turns schedules with too many or too few samples into schedules with exactly the samples of the job, and keeps the
// cheapest. For one job and the offers of one group, which must outlive it. Not thread-safe.
class ScheduleFinisher {
 public:
  // `performance_weight` turns worth into cost; `lambda` is the price of a sample at which the schedules are best.
  ScheduleFinisher(const JobModel& job, const Offers& offers, int step_s, double performance_weight, double lambda)
      : job_(job), offers_(offers), step_s_(step_s), weight_(performance_weight), lambda_(lambda) {}

  // Removes the excess samples and keeps the schedule if it is the cheapest so far. False when it does not make enough.
  bool Finish(Schedule schedule);

  // The cheapest schedule lies between two that are both best at the final price, one with too few samples and one with
  // too many: it follows one of them up to some slot and then the other, at the cost of one more start. Finishes the
  // best such mixture of `before` and then `after`.
  void Cross(const Schedule& before, const Schedule& after);

  // The cheapest schedule so far, and its cost less its worth. The cost is infinite before the first.
  const Schedule& schedule() const { return schedule_; }
  double cost() const { return cost_; }

  // The cost of a schedule at the offers, less its worth.
  double CostOf(const Schedule& schedule) const;

  // Removes `excess` samples, the most expensive first: from the top speed of a slot or from the end of a run. Returns
  // the samples that it could not remove.
  double Trim(Schedule& schedule, double excess) const;

 private:
  // Where `after` takes over from `before`.
  struct Seam {
    std::size_t kept = 0;     // pieces of `before`
    std::size_t dropped = 0;  // pieces of `after`
    int lost = 0;             // seconds of resuming at the first piece of `after`
  };
  // A part of a piece that runs with fewer workers.
  struct Slowing {
    double saved = 0.0;  // per sample
    double rate = 0.0;   // fewer samples per second
    std::size_t piece = 0;
    std::size_t level = 0;
    std::size_t vertex = 0;
  };

  const Offer& OfferOf(const Choice& choice, const SlotPiece& piece) const;
  double CostOf(const Choice& choice, const SlotPiece& piece) const;
  double WorthIn(const SlotPiece& piece) const;
  double Slow(Schedule& schedule, double excess) const;
  Slowing BestSlowing(const Schedule& schedule) const;
  Seam BestSeam(const Schedule& before, const Schedule& after) const;
  int LostAt(const Schedule& before, std::size_t kept, const SlotPiece& first) const;

  const JobModel& job_;
  const Offers& offers_;
  int step_s_;
  double weight_;
  double lambda_;
  Schedule schedule_;
  double cost_ = std::numeric_limits<double>::infinity();
};

}  // namespace heliostat::reference
