#pragma once

#include <cstddef>
#include <limits>

#include "heliostat/planning/decomposition/slot_hulls.h"
#include "heliostat/planning/decomposition/slot_programme.h"

namespace heliostat::decomposition {

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
  // of two slots; the schedule found never has those. `lambda` > 0 is the first price to try. A required job that costs
  // at least `limit` here is given up and not feasible.
  Found BestIn(const JobModel& job, std::size_t choice, const Offers& offers, bool relax, double lambda,
               double limit = std::numeric_limits<double>::infinity());

 private:
  using Step = SlotProgramme::Step;
  // The best schedule at one price.
  struct Tried {
    Step step;
    SlotProgramme::Moves moves;
  };

  static double FirstPrice(const Choice& choice, const Offers& offers);
  Step Try(double lambda);
  void Keep(const Step& step);
  bool Bracket(const Choice& choice, const Offers& offers, double lambda);
  Found Settle();
  bool MakeEnough(double lambda);
  Found Resizing(const JobModel& job, std::size_t choice, const Offers& offers);
  Found Earning(std::size_t choice, const Offers& offers);
  bool IsTooDear() const { return job_->required && bound_ >= limit_; }

  int step_s_;
  double weight_;
  SlotProgramme programme_;
  SlotHulls hulls_;
  // Of the present search.
  const JobModel* job_ = nullptr;
  double limit_ = 0.0;
  double bound_ = 0.0;
  Tried low_, high_;  // with too few samples, and with enough
};

}  // namespace heliostat::decomposition
