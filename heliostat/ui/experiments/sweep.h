#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heliostat/ui/experiments/outcome.h"

namespace heliostat::experiments {

struct SweepOptions {
  std::string journal;   // finished cases are kept there and not run again; empty: nowhere
  unsigned threads = 0;  // cases at a time; 0: as many as there are cores
  std::string version;   // of the program: its journal's results are no other version's
};

// Called with the number of cases that are done.
using SweepProgress = std::function<void(std::size_t done, std::size_t total)>;
using RunOne = std::function<Result<CaseOutcome>(const Case& one)>;

// Every case's outcome, in the order of the cases, the same with any number of threads, whatever comes from the journal
// and whatever is run now. The first failure ends it; what was done by then is in the journal.
Result<std::vector<CaseOutcome>> RunSweep(const std::vector<Case>& cases, const StudyPlaces& world,
                                          const SweepOptions& options, const SweepProgress& progress = {});
// The same with a runner of the caller's own; `fingerprint` stands for all that it knows beside the case.
Result<std::vector<CaseOutcome>> RunSweep(const std::vector<Case>& cases, std::uint64_t fingerprint, const RunOne& run,
                                          const SweepOptions& options, const SweepProgress& progress = {});

}  // namespace heliostat::experiments
