#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/io/journal.h"
#include "heliostat/node/ledger/run.h"

namespace heliostat::ledger {

// Writes a run's ledger. A record is on disk when Add() returns without an error. Without a disk the run is kept in
// memory, and written as soon as there is one. Not thread-safe.
//
//   auto writer = Writer::Create(*RunsFolder(environment), begin);
//   if (!writer) return Propagate(writer);
//   writer->Add(period);                      // each time one ends, and once a minute within
//   writer->Finish({clock.Now(), 0, "exited"});
//   Print(BillOf(writer->run()));
class Writer {
 public:
  // The longest that a part should last. A kill loses at most this much.
  static constexpr Duration kLongestPart{60};

  // Creates FOLDER/ID/ledger.journal, with parent folders, accessible to its owner only. The run's ID derives from its
  // start and program; runs that begin in the same second get different IDs. Fails only for an invalid record; Flush()
  // tells whether the file is there.
  static Result<Writer> Create(const std::string& folder, Begin begin);

  // kInvalidArgument for an invalid record, which is dropped, and after Finish(). A record that could not be written (a
  // full disk) is part of run() all the same, and is written with the next one.
  Status Add(Period period);
  Status Add(Note note);
  Status Finish(EndRecord end);
  // Writes what could not be written so far.
  Status Flush();

  // All records that were accepted.
  const Run& run() const { return run_; }
  // Empty while there is no file.
  std::string path() const { return journal_ ? journal_->path() : ""; }

 private:
  Writer(std::string folder, Run run) : folder_(std::move(folder)), run_(std::move(run)) {}
  Status Open();
  Status RefuseAfterEnd() const;
  Status Append(io::Json record);

  std::string folder_;
  std::optional<io::Journal> journal_;
  Run run_;
  std::vector<io::Json> waiting_;  // records that could not be written yet
};

// The folder of runs: HELIOSTAT_RUNS, else $XDG_DATA_HOME/heliostat/runs, else ~/.local/share/heliostat/runs.
Result<std::string> RunsFolder(const Environment& environment);

}  // namespace heliostat::ledger
