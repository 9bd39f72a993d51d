#pragma once

#include <optional>
#include <vector>

#include "heliostat/planning/milp/programme.h"

namespace heliostat::milp {

// What a solution wants a job to do in one slot with one number of workers. Not yet when in the slot, and not yet in
// whole seconds.
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

struct JobDraft {
  std::size_t group = 0;
  double samples = 0.0;  // to be made
  // In order of time. Within a slot, what goes on from the slot before comes first and what goes on in the next last.
  std::vector<Portion> portions;
};

// Nothing for a job that does not run.
std::optional<JobDraft> DraftOf(const plan::Problem& problem, const Programme& programme,
                                const std::vector<double>& values, std::size_t job);

}  // namespace heliostat::milp
