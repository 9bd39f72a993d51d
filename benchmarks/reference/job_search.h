#pragma once

#include <cstddef>
#include <optional>

#include "benchmarks/reference/slot_programme.h"

namespace heliostat::reference {

// The result of a search for one job.
struct Found {
  bool feasible = false;
  Schedule schedule;    // makes the samples of the job
  double cost = 0.0;    // of the schedule at these offers, less its worth
  double bound = 0.0;   // no schedule costs less
  double lambda = 0.0;  // final price of a sample; a good start for the next search
};

// Finds a job's cheapest schedule for the offers of a group. For a given price of a sample, a dynamic programme over
// slots finds the best schedule. A search over that price finds the schedule that makes the samples of the job. Not
// thread-safe: use one object per thread. It reuses its memory.
class JobSearch {
 public:
  // `performance_weight` turns worth into cost.
  JobSearch(int step_s, double performance_weight)
      : step_s_(step_s), weight_(performance_weight), programme_(step_s, performance_weight) {}

  // Searches in one of the job's groups. With `relax` the bound also holds for schedules with starts across the border
  // of two slots; the schedule found never has those. `lambda` > 0 is the first price to try.
  Found BestIn(const JobModel& job, std::size_t choice, const Offers& offers, bool relax, double lambda);

 private:
  using Step = SlotProgramme::Step;

  static double FirstPrice(const Choice& choice, const Offers& offers);
  bool Bracket(const JobModel& job, const Choice& choice, const Offers& offers, bool relax, double lambda, Step& low,
               Step& high);
  Found Settle(const JobModel& job, std::size_t choice, const Offers& offers, bool relax, Step& low, Step high);
  std::optional<Schedule> MakingEnough(const JobModel& job, std::size_t choice, const Offers& offers, double lambda);

  int step_s_;
  double weight_;
  SlotProgramme programme_;
};

}  // namespace heliostat::reference
