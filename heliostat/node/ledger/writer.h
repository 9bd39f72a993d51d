#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/io/journal.h"
#include "heliostat/node/ledger/run.h"

namespace heliostat::ledger {

// Writes a run's ledger. What Add() returned for without an error is on disk. Not thread-safe.
//
//   auto writer = Writer::Create(*RunsFolder(environment), begin);
//   if (!writer) return Propagate(writer);
//   writer->Add(period);                      // each time one ends, and once a minute within
//   writer->Finish({clock.Now(), 0, "exited"});
//   Print(BillOf(writer->run()));
class Writer {
 public:
  // The longest that a part should last: what a kill may cost.
  static constexpr Duration kLongestPart{60};

  // Makes FOLDER/ID/ledger.journal, with parents, for its owner's eyes only. The run's ID comes from its start and
  // program; runs that begin in the same second get different ones.
  static Result<Writer> Create(const std::string& folder, Begin begin);

  // A record that makes no sense is refused (kInvalidArgument) and forgotten. One that could not be written (a full
  // disk) counts in run() all the same and is written with the next.
  Status Add(Period period);
  Status Add(Note note);
  Status Finish(EndRecord end);

  // All that was added.
  const Run& run() const { return run_; }
  const std::string& path() const { return journal_.path(); }

 private:
  Writer(io::Journal journal, Run run) : journal_(std::move(journal)), run_(std::move(run)) {}
  Status RefuseAfterEnd() const;
  Status Append(io::Json record);

  io::Journal journal_;
  Run run_;
  std::vector<io::Json> waiting_;  // for room on the disk
};

// Where runs are kept: HELIOSTAT_RUNS, else $XDG_DATA_HOME/heliostat/runs, else ~/.local/share/heliostat/runs.
Result<std::string> RunsFolder(const Environment& environment);

}  // namespace heliostat::ledger
