#pragma once

#include <cstddef>
#include <vector>

#include "heliostat/planning/decomposition/model.h"

namespace heliostat::decomposition {

// What running in a slot with one number of workers costs a job, and how much of the slot it can have. Seconds are
// whole; those of the job's own window are taken off already.
struct Offer {
  double per_joule = 0.0;       // objective units a joule of IT energy
  double per_gpu_second = 0.0;  // rent of a GPU
  double fixed = 0.0;           // for touching the slot at all: nodes that have to be switched on for it
  double most_watts = 0.0;      // the facility's cap leaves room for no more
  int full = 0;                 // seconds when the job runs through the slot, 0: it cannot
  int first = 0;                // when it starts here and goes on into the next slot
  int last = 0;                 // when it comes from the slot before and ends here
  int single = 0;               // when it does both here
  int single_begin = 0;         // seconds into the slot at which such a piece begins
};

// Offers of a job in one group: [slot of the window][level][way]. A second way, when there is one, is the same slot at
// another fixed cost.
struct Offers {
  std::size_t ways = 1;
  std::vector<Offer> offers;

  const Offer* At(std::size_t slot, std::size_t level, std::size_t levels) const {
    return &offers[(slot * levels + level) * ways];
  }
};

// What a job does inside one slot: it runs [begin, end) seconds of it at `vertex`, the last `slower` of them at the
// vertex below.
struct SlotPiece {
  std::size_t slot = 0;  // of the scenario
  std::size_t level = 0;
  std::size_t vertex = 0;
  int begin = 0;
  int end = 0;
  int slower = 0;
  int lost = 0;           // seconds at the beginning spent on resuming, at the level's lowest power
  unsigned char way = 0;  // of the offer that was taken
};

// A way through the window, in one of the job's groups. Empty pieces: the job does not run.
struct Schedule {
  std::size_t choice = 0;
  std::vector<SlotPiece> pieces;
};

double SamplesOf(const WorkerLevel& level, const SlotPiece& piece);
double JoulesOf(const WorkerLevel& level, const SlotPiece& piece);
double SamplesOf(const JobModel& job, const Schedule& schedule);
// What its work is worth, in units of performance.
double WorthOf(const JobModel& job, const Schedule& schedule, int step_s);

// What a job's window has of its slot `t`, in seconds from the slot's beginning.
struct SlotWindow {
  int begin = 0;
  int end = 0;
};
SlotWindow WindowIn(const JobModel& job, std::size_t t, int step_s);

// What a sample made in slot `t` of the window is worth, in units of performance: in the middle of what the window has
// of the slot or, so that a bound covers any part of it, at its beginning.
enum class Moment { kMiddle, kBegin };
double WorthOfSample(const JobModel& job, std::size_t t, int step_s, Moment moment);

}  // namespace heliostat::decomposition
