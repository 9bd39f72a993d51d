#pragma once

#include <cstddef>

namespace heliostat::workload {

// What became of the jobs of a trace in a scenario.
struct JobTally {
  std::size_t in_trace = 0;

  // Jobs that are left out, each counted once.
  std::size_t before_start = 0;  // submitted before the part of the trace that the horizon shows
  std::size_t after_end = 0;     // submitted after it
  std::size_t too_long = 0;      // after the end of the horizon even if it starts at once
  std::size_t due_later = 0;     // the deadline of the trace is after the end of the horizon
  std::size_t above_load = 0;    // left out at random, to reach the load
  std::size_t not_done = 0;      // after the end of the horizon when all jobs are run first come, first served
  std::size_t left_out() const { return before_start + after_end + too_long + due_later + above_load + not_done; }

  // Of the jobs that are left: what the trace does not have.
  std::size_t drawn_models = 0;
  std::size_t other_models = 0;  // the library does not have the model that the trace names
  std::size_t other_gpus = 0;    // rounded to a power of two that fits
  std::size_t drawn_deadlines = 0;
  std::size_t drawn_best_effort = 0;  // no deadline, by chance
  std::size_t in_one_piece = 0;       // not preemptible, by chance
  std::size_t clipped_deadlines = 0;  // drawn after the end of the horizon and set to its end

  // Deadlines that first come, first served would have missed, now when it ends the job.
  std::size_t moved_deadlines = 0;
  // Mean of (deadline - submit) / length, as asked and after the moves. 0 without deadlines.
  double asked_slack = 0.0;
  double slack = 0.0;
};

}  // namespace heliostat::workload
