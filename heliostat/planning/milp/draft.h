#pragma once

#include <optional>
#include <vector>

#include "heliostat/planning/milp/programme.h"

namespace heliostat::milp {

// What a solution lets a job do in one slot with one number of workers. The time in the slot is not set yet, and
// seconds are not whole yet.
struct Portion {
  std::size_t slot = 0;
  Interval available;
  int workers = 0;
  Seconds lost{};
  struct Part {
    std::size_t point = 0;
    Seconds length{};
  };
  std::vector<Part> useful;  // fastest first
  std::size_t lowest = 0;    // point of least power with these workers

  Seconds length() const;
};

// What a solution lets a job do.
struct JobDraft {
  std::size_t group = 0;
  double samples = 0.0;  // to make
  // In order of time. Within a slot, a portion that continues from the slot before comes first, and one that continues
  // in the next slot last.
  std::vector<Portion> portions;
};

// The draft of a job from the values of the columns. Nothing for a job that does not run.
std::optional<JobDraft> DraftOf(const plan::Problem& problem, const Programme& programme,
                                const std::vector<double>& values, std::size_t job);

}  // namespace heliostat::milp
