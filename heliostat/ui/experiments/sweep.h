#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heliostat/ui/experiments/outcome.h"

namespace heliostat::experiments {

struct SweepOptions {
  std::string journal;   // file of finished cases, which are not run again; empty: none
  unsigned threads = 0;  // cases at a time; 0: one per core
  std::string version;   // of the program: results of other versions in the journal are not used
};

// Called with the number of cases that are done.
using SweepProgress = std::function<void(std::size_t done, std::size_t total)>;
using RunOne = std::function<Result<CaseOutcome>(const Case& one)>;

// The outcomes of all cases, in their order. They do not depend on the number of threads or on what the journal holds.
// The first failure ends the sweep; cases that are done by then are in the journal.
Result<std::vector<CaseOutcome>> RunSweep(const std::vector<Case>& cases, const StudyPlaces& world,
                                          const SweepOptions& options, const SweepProgress& progress = {});
// The same with another function to run a case, called from several threads. `fingerprint` identifies all data on which
// it depends besides the case.
Result<std::vector<CaseOutcome>> RunSweep(const std::vector<Case>& cases, std::uint64_t fingerprint, const RunOne& run,
                                          const SweepOptions& options, const SweepProgress& progress = {});

}  // namespace heliostat::experiments
