#pragma once

#include <cstddef>
#include <vector>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::milp {

// Of points with the same number of workers, those that a best plan could need, by power: a point is left out when
// another, or two others in turns, are as fast on as little power. With `slower_too` false also those slower than the
// point of the most work a joule beyond idling (`idle`: of all its GPUs): running that one and idling in turns beats
// them, wherever energy costs something and a job may stop for nothing.
std::vector<std::size_t> UsefulPoints(const std::vector<scenario::TrainingPoint>& points,
                                      std::vector<std::size_t> candidates, Watts idle, bool slower_too);

// Ways to run a job with so many workers.
struct WorkerChoice {
  int workers = 0;
  std::vector<std::size_t> points;  // UsefulPoints
  std::size_t lowest = 0;           // of least power, for time that makes no progress
  std::size_t highest = 0;          // of most power, for when drawing energy pays
};

// The job's ways in one group, by workers.
std::vector<WorkerChoice> WorkerChoices(const scenario::Scenario& scenario, const scenario::Job& job, std::size_t group,
                                        bool slower_too);

}  // namespace heliostat::milp
