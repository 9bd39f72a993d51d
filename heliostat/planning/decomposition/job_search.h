#pragma once

#include <cstddef>
#include <optional>

#include "heliostat/planning/decomposition/slot_programme.h"

namespace heliostat::decomposition {

struct Found {
  bool feasible = false;
  Schedule schedule;    // makes the samples wanted
  double cost = 0.0;    // of the schedule at these offers, less its worth
  double bound = 0.0;   // no schedule costs less
  double lambda = 0.0;  // the price of a sample at which the search ended; begin the next one from it
};

// A job's cheapest schedule given what a group offers: for a given price of a sample a dynamic programme over slots
// finds the best one, and a search over that price finds the one that makes the samples wanted. One object a thread;
// it keeps its scratch memory.
class JobSearch {
 public:
  // `performance_weight` turns worth into cost.
  JobSearch(int step_s, double performance_weight)
      : step_s_(step_s), weight_(performance_weight), programme_(step_s, performance_weight) {}

  // In one of the job's groups. With `relax` the bound also covers starts that fall across the edge of two slots; the
  // schedule never has those. `lambda` > 0 is where to begin.
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

}  // namespace heliostat::decomposition
