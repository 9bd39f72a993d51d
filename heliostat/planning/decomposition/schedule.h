#pragma once

#include <cstddef>
#include <vector>

#include "heliostat/planning/decomposition/model.h"

namespace heliostat::decomposition {

// What it costs a job to run in a slot with one number of workers, and how many seconds of the slot are available.
// Seconds are whole and lie inside the job's window.
struct Offer {
  double per_joule = 0.0;       // objective units per joule of IT energy
  double per_gpu_second = 0.0;  // rent
  double fixed = 0.0;           // for any use of the slot: nodes that have to be turned on
  double most_watts = 0.0;      // limit from the power cap of the facility
  int full = 0;                 // seconds when the job runs through the slot; 0: it cannot
  int first = 0;                // seconds when it starts here and continues into the next slot
  int last = 0;                 // seconds when it comes from the slot before and ends here
  int single = 0;               // seconds when it starts and ends here
  int single_begin = 0;         // where such a piece begins, in seconds from the slot's begin
  friend bool operator==(const Offer&, const Offer&) = default;
};

// Offers for a job in one group: [slot of the window][level][way], or [slot of the window][way] if they are the same
// for all levels. A second way, if any, is the same slot with another fixed cost.
struct Offers {
  std::size_t ways = 1;
  bool same_for_levels = false;
  std::vector<Offer> offers;

  const Offer* At(std::size_t slot, std::size_t level, std::size_t levels) const {
    return &offers[(same_for_levels ? slot : slot * levels + level) * ways];
  }
};

// What a job does inside one slot: it runs in the seconds [begin, end) at `vertex`, the last `slower` of them at the
// next lower vertex.
struct SlotPiece {
  std::size_t slot = 0;  // of the scenario
  std::size_t level = 0;
  std::size_t vertex = 0;
  int begin = 0;
  int end = 0;
  int slower = 0;
  int lost = 0;           // seconds at the beginning spent on resuming, at the level's lowest power
  unsigned char way = 0;  // index of the offer taken
  friend bool operator==(const SlotPiece&, const SlotPiece&) = default;
};

// When and how a job runs in its window, in one of its groups. Without pieces it does not run.
struct Schedule {
  std::size_t choice = 0;
  std::vector<SlotPiece> pieces;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

// Whether the piece goes on with what ran before the job's window.
bool GoesOn(const JobModel& job, const SlotPiece& piece);
double SamplesOf(const WorkerLevel& level, const SlotPiece& piece);
double JoulesOf(const WorkerLevel& level, const SlotPiece& piece);
double SamplesOf(const JobModel& job, const Schedule& schedule);
// The performance of the schedule's work.
double WorthOf(const JobModel& job, const Schedule& schedule, int step_s);

// The part of slot `t` of a job's window that lies inside the window, in seconds from the begin of the slot.
struct SlotWindow {
  int begin = 0;
  int end = 0;
};
SlotWindow WindowIn(const JobModel& job, std::size_t t, int step_s);

// The performance of a sample made in slot `t` of the window: in the middle of the available part of the slot or, for
// bounds, at its begin, where it is highest.
enum class Moment { kMiddle, kBegin };
double WorthOfSample(const JobModel& job, std::size_t t, int step_s, Moment moment);

}  // namespace heliostat::decomposition
