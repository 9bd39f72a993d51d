#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/node/ledger/record.h"

namespace heliostat::ledger {

// A run, as read from its ledger.
struct Run {
  std::string id;
  Begin begin;
  std::vector<Period> periods;
  std::vector<Note> notes;
  std::optional<EndRecord> end;       // absent: the run goes on, or was cut off
  std::vector<std::string> troubles;  // of the file: "the last 17 bytes are torn, dropped"

  Seconds elapsed() const;
  // End of the last period, or the start.
  Instant last() const { return periods.empty() ? begin.start : periods.back().end; }
};

// Parses the bytes of a ledger. Leaves out torn and damaged lines, and members and records of a newer version, and
// lists them in `troubles`. An invalid record is an error that names `where` and the number of the record.
Result<Run> ParseRun(std::string_view bytes, std::string id, const std::string& where);
// Reads a ledger without changing it; it may be in use by a Writer.
Result<Run> ReadRun(const std::string& path, std::string id);

// Joins the parts of each decision into one period, in order. Parts that are charged at different intensities or prices
// (a new value of the signal arrived between them) stay separate.
std::vector<Period> Decisions(std::span<const Period> periods);

// A short name of the program: "train" for {"python3", "-u", "train.py"}.
std::string ProgramName(std::span<const std::string> command);
// Whether a GPU of the run exists as a model only, so that all its figures are simulated.
bool IsOnMadeUpGpu(const Begin& begin);

}  // namespace heliostat::ledger
