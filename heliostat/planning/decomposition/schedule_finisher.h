#pragma once

#include <limits>

#include "heliostat/planning/decomposition/schedule.h"

namespace heliostat::decomposition {

// Makes schedules of just the samples wanted out of schedules that make too many or too few, and keeps the cheapest.
// For one job at one group's offers. Not for several threads at once.
class ScheduleFinisher {
 public:
  // `performance_weight` turns worth into cost; `lambda` is the price of a sample at which the schedules are best.
  ScheduleFinisher(const JobModel& job, const Offers& offers, int step_s, double performance_weight, double lambda)
      : job_(job), offers_(offers), step_s_(step_s), weight_(performance_weight), lambda_(lambda) {}

  // Takes off what is too much and keeps the schedule if it is the cheapest so far. False when it does not make enough.
  bool Finish(Schedule schedule);

  // Between two schedules that are both best at the final price, one with too few samples and one with too many, lies
  // the cheapest: it follows one of them until some slot and then the other, for the price of one more start. Finishes
  // the best such mixture of `before` until some slot and `after` from there on.
  void Cross(const Schedule& before, const Schedule& after);

  // The cheapest so far and what it costs, less its worth.
  const Schedule& schedule() const { return schedule_; }
  double cost() const { return cost_; }

  // What a schedule costs at the offers, less its worth.
  double CostOf(const Schedule& schedule) const;

  // Takes off samples beyond those wanted, the dearest first: a slot's top speed, or the end of a run. Returns what
  // could not be taken off.
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
    double saved = 0.0;  // a sample
    double rate = 0.0;   // samples a second less
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

}  // namespace heliostat::decomposition
