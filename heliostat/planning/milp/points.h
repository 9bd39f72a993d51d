#pragma once

#include <cstddef>
#include <vector>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::milp {

// Of points with the same number of workers, those that an optimal plan could need, by power. It leaves out a point
// when another, or two others in turns, are as fast with as little power. With `slower_too` false, it also leaves out
// points slower than the one with the most work per joule beyond idling (`idle` is the idle power of all GPUs): that
// point and idling in turns is better wherever energy has a cost and a job may stop at no cost.
std::vector<std::size_t> UsefulPoints(const std::vector<scenario::TrainingPoint>& points,
                                      std::vector<std::size_t> candidates, Watts idle, bool slower_too);

// The points of a job with one number of workers.
struct WorkerChoice {
  int workers = 0;
  std::vector<std::size_t> points;  // UsefulPoints
  std::size_t lowest = 0;           // least power, for time without progress
  std::size_t highest = 0;          // most power, for prices below 0
};

// The choices of a job in one group, by number of workers.
std::vector<WorkerChoice> WorkerChoices(const scenario::Scenario& scenario, const scenario::Job& job, std::size_t group,
                                        bool slower_too);

}  // namespace heliostat::milp
